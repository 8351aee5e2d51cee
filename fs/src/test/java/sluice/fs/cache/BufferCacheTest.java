package sluice.fs.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.Errnos;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.Journals;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testbase.Await;

@Timeout(120)
final class BufferCacheTest {
  private static final int BLOCK = 1024;
  private static final int FRAMES = 64;

  private final Account account = new Account("test", FRAMES * BLOCK);
  private BlockDevice device;
  private BufferCache cache;
  private Journal journal;

  @BeforeEach
  void open() throws IOException {
    device = BlockDevices.memory(1024 * BLOCK);
    cache = TestCaches.open(device, BLOCK, FRAMES * BLOCK, account);
    journal = Journals.plain(cache);
  }

  @AfterEach
  void close() throws IOException {
    journal.close();
    cache.close();
    assertThat(account.usedBytes()).isZero();
    device.close();
  }

  private void write(long block, int value) throws IOException {
    try (Transaction transaction = journal.begin(1);
        Buffer buffer = transaction.change(block)) {
      buffer.setInt(0, value);
    }
  }

  private int onDevice(long block) throws IOException {
    Block bytes = Blocks.of(BLOCK);
    device.read(block * BLOCK, bytes, 0, BLOCK);
    int value = bytes.segment().get(java.lang.foreign.ValueLayout.JAVA_INT, 0);
    bytes.release();
    return value;
  }

  private int value(long block) throws IOException {
    try (Buffer buffer = cache.read(block)) {
      return buffer.getInt(0);
    }
  }

  @Test
  void knowsOnlyWhatWasRead() throws IOException {
    assertThat(cache.cached(5)).isNull();
    assertThat(cache.lease(5)).isNull();
    assertThat(cache.peekInt(5, 0)).isEqualTo(-1);
    cache.read(5).close();
    assertThat(cache.peekInt(5, 0)).isZero();
    try (Buffer buffer = requireNonNull(cache.cached(5))) {
      assertThat(buffer.number()).isEqualTo(5);
      assertThat(buffer.lengthBytes()).isEqualTo(BLOCK);
    }
  }

  @Test
  void refusesBlocksThatAreNotThere() {
    assertThat(Errnos.of(() -> cache.read(1024))).isEqualTo(Errno.EUCLEAN);
    assertThat(Errnos.of(() -> cache.read(-1))).isEqualTo(Errno.EUCLEAN);
  }

  @Test
  void copiesWhatIsHere() throws IOException {
    write(7, 99);
    Block target = Blocks.of(BLOCK);
    Memory memory = Memory.over(target, 0, BLOCK);
    assertThat(cache.copy(7, 0, memory, 8, 4)).isEqualTo(4);
    assertThat(memory.getInt(8)).isEqualTo(99);
    assertThat(cache.copy(8, 0, memory, 8, 4)).isZero();
    assertThat(cache.copy(7, BLOCK - 2, memory, 0, 4)).isEqualTo(2);
    assertThatThrownBy(() -> cache.copy(7, BLOCK, memory, 0, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> cache.copy(7, 0, memory, BLOCK - 2, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    memory.close();
    target.release();
  }

  @Test
  void copiesRunsAsFarAsTheyAreHere() throws IOException {
    int count = 12;
    long room = (count + 1L) * BLOCK;
    Block target = Blocks.of(room);
    Memory memory = Memory.over(target, 0, room);
    // Neighbours in memory, then in the opposite order, then a block changed by another thread.
    for (int i = 0; i < 6; i++) {
      write(20 + i, 20 + i);
    }
    for (int i = 11; i >= 6; i--) {
      write(20 + i, 20 + i);
    }
    try (Buffer _ = cache.read(22)) {
      write(22, -22);
    }
    assertThat(cache.copy(20, 0, memory, 0, 13 * BLOCK)).isEqualTo(count * BLOCK);
    for (int i = 0; i < count; i++) {
      assertThat(memory.getInt((long) i * BLOCK)).isEqualTo(i == 2 ? -22 : 20 + i);
    }
    assertThat(cache.copy(21, 4, memory, 1, 2 * BLOCK)).isEqualTo(2 * BLOCK);
    assertThat(memory.getInt(1 + BLOCK - 4)).isEqualTo(-22);
    try (Transaction transaction = journal.begin(1);
        Buffer _ = transaction.change(24)) {
      assertThat(cache.copy(20, 0, memory, 0, count * BLOCK)).isEqualTo(4 * BLOCK);
    }
    memory.close();
    target.release();
  }

  @Test
  void overwritesWithoutATransactionOnlyWhatIsContentAndChanged() throws IOException {
    Block source = Blocks.of(BLOCK);
    Memory memory = Memory.over(source, 0, BLOCK);
    memory.setInt(8, 77);
    assertThat(journal.tryOverwrite(5, 0, memory, 8, 4)).as("not here").isZero();
    write(5, 1);
    assertThat(journal.tryOverwrite(5, 0, memory, 8, 4)).as("metadata").isZero();
    try (Transaction transaction = journal.begin(0)) {
      transaction.data(6, true).close();
    }
    assertThat(journal.tryOverwrite(6, 4, memory, 8, 4)).isEqualTo(4);
    try (Buffer buffer = cache.read(6)) {
      assertThat(buffer.getInt(0)).isZero();
      assertThat(buffer.getInt(4)).isEqualTo(77);
      assertThat(journal.tryOverwrite(6, 0, memory, 8, 4)).as("leased").isZero();
    }
    journal.sync();
    assertThat(journal.tryOverwrite(6, 0, memory, 8, 4)).as("not changed").isZero();
    try (Transaction transaction = journal.begin(0)) {
      transaction.data(6, false).close();
    }
    assertThat(journal.tryOverwrite(6, BLOCK - 2, memory, 8, 4)).as("7 is not here").isEqualTo(2);
    assertThatThrownBy(() -> journal.tryOverwrite(6, BLOCK, memory, 8, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    memory.close();
    source.release();
  }

  @Test
  void whatIsOverwrittenWithoutATransactionIsBeforeTheNextPoint() throws IOException {
    Block source = Blocks.of(BLOCK);
    Memory memory = Memory.over(source, 0, BLOCK);
    for (int i = 1; i < 20; i++) {
      try (Transaction transaction = journal.begin(0)) {
        transaction.data(6, true).close();
      }
      memory.setInt(0, i);
      assertThat(journal.tryOverwrite(6, 0, memory, 0, 4)).isEqualTo(4);
      journal.await(journal.point());
      assertThat(onDevice(6)).isEqualTo(i);
    }
    memory.close();
    source.release();
  }

  @Test
  void aLeaseKeepsTheOldBytes() throws IOException {
    write(3, 1);
    try (Buffer before = cache.read(3)) {
      write(3, 2);
      assertThat(before.getInt(0)).isEqualTo(1);
      assertThat(value(3)).isEqualTo(2);
      write(3, 3);
      assertThat(before.getInt(0)).isEqualTo(1);
    }
    assertThat(value(3)).isEqualTo(3);
  }

  @Test
  void aReaderOfMetadataInHandGetsACopy() throws IOException {
    write(3, 1);
    try (Transaction transaction = journal.begin(1)) {
      Buffer mine = transaction.change(3);
      mine.setInt(4, 5);
      try (Buffer other = cache.read(3)) {
        assertThat(other.getInt(0)).isEqualTo(1);
        assertThat(other.getInt(4)).isEqualTo(5);
        mine.setInt(4, 6);
        assertThat(other.getInt(4)).isEqualTo(5);
      }
      assertThat(cache.cached(3)).isNull();
    }
    try (Buffer after = cache.read(3)) {
      assertThat(after.getInt(4)).isEqualTo(6);
    }
  }

  @Test
  void aReadBufferCannotBeWritten() throws IOException {
    try (Buffer buffer = cache.read(1)) {
      assertThatThrownBy(() -> buffer.setInt(0, 1))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void buffersEndWithTheirTransaction() throws IOException {
    Buffer buffer;
    try (Transaction transaction = journal.begin(1)) {
      try (Transaction inner = journal.begin(1)) {
        assertThat(inner).isSameAs(transaction);
        buffer = inner.change(2);
      }
      buffer.setInt(0, 4);
    }
    assertThatThrownBy(() -> buffer.setInt(0, 5)).isInstanceOf(IllegalStateException.class);
    buffer.close();
    assertThat(value(2)).isEqualTo(4);
  }

  @Test
  void writesNothingBeforeItIsAsked() throws IOException {
    write(9, 7);
    assertThat(onDevice(9)).isZero();
    assertThat(cache.dirtyBytes()).isEqualTo(BLOCK);
    journal.sync();
    assertThat(onDevice(9)).isEqualTo(7);
    assertThat(cache.dirtyBytes()).isZero();
  }

  @Test
  void whatIsOldIsWrittenWithoutARequest() throws Exception {
    CacheDelays soon = new CacheDelays(1, 1);
    long bytes = FRAMES * BLOCK;
    Account own = new Account("a cache in a hurry", bytes);
    try (BufferCache hurried = FrameCache.open(device, BLOCK, bytes, own, soon);
        Journal over = Journals.plain(hurried)) {
      try (Transaction transaction = over.begin(1)) {
        transaction.change(9).setInt(0, 7);
      }
      Await.until("the change on the device", () -> onDevice(9) == 7);
      Await.until("a cache without changes", () -> hurried.dirtyBytes() == 0);
    }
  }

  /// Checks that a reader waits for the writer, however long the writer gets no processor.
  @Test
  void aReaderOfContentWaitsForItsWriter() throws Exception {
    FutureTask<Integer> reader = new FutureTask<>(() -> value(3));
    try (Transaction transaction = journal.begin(0)) {
      Buffer half = transaction.data(3, true);
      half.setInt(0, 1);
      Thread _ = Thread.ofPlatform().start(reader);
      Thread.sleep(2500);
      assertThat(reader.isDone()).isFalse();
      half.setInt(0, 2);
      half.close();
    }
    assertThat(reader.get(Await.SECONDS, TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void isLargerThanItsMemory() throws IOException {
    for (int i = 0; i < 1000; i++) {
      write(i, i + 1);
    }
    // A writer waits when five eighths are dirty. The write-back thread starts at one half, as soon
    // as it gets a processor.
    assertThat(cache.dirtyBytes()).isLessThanOrEqualTo((FRAMES / 8 * 5 + 1) * BLOCK);
    for (int i = 0; i < 1000; i++) {
      assertThat(value(i)).isEqualTo(i + 1);
    }
  }

  @Test
  void freshBlocksAreZeroAndNotRead() throws IOException {
    write(4, 5);
    journal.sync();
    try (Transaction transaction = journal.begin(1)) {
      assertThat(transaction.create(4).getInt(0)).isZero();
      assertThat(transaction.data(500, true).getInt(0)).isZero();
    }
  }

  @Test
  void whatWasForgottenIsNotWritten() throws IOException {
    write(4, 5);
    try (Transaction transaction = journal.begin(1)) {
      transaction.forget(4);
    }
    journal.sync();
    assertThat(onDevice(4)).isZero();
  }

  @Test
  void isFullWhenAllIsLeased() throws Exception {
    List<Buffer> held = new ArrayList<>();
    for (int i = 0; i < FRAMES; i++) {
      held.add(cache.read(i));
    }
    Thread later =
        Thread.startVirtualThread(() -> {
          while (held.size() > FRAMES / 2) {
            held.removeLast().close();
          }
        });
    value(600); // waits until a frame comes back
    Await.end(later);
    held.forEach(Buffer::close);
  }

  @Test
  void memoryStaysUntilTheLastReaderLetsGo() throws IOException {
    write(1, 77);
    Buffer last = cache.read(1);
    journal.close();
    cache.close();
    cache.close();
    assertThat(last.getInt(0)).isEqualTo(77);
    assertThat(account.usedBytes()).isEqualTo(FRAMES * BLOCK);
    assertThat(Errnos.of(() -> cache.read(1))).isEqualTo(Errno.EBADF);
    last.close();
    assertThat(account.usedBytes()).isZero();
    assertThat(onDevice(1)).isEqualTo(77);
  }

  @Test
  void readsAhead() throws Exception {
    cache.readAhead(100, 8);
    Await.until("the block that is read ahead", () -> cache.lease(107) != null);
    requireHere(100);
    requireNonNull(cache.lease(107)).release();
    requireNonNull(cache.lease(107)).release();
    releaseTwice(107);
    cache.readAhead(1020, 1000);
    cache.readAhead(-5, 1000);
  }

  private void requireHere(long block) {
    assertThat(cache.peekInt(block, 0)).isZero();
  }

  private void releaseTwice(long block) {
    Block frame = requireNonNull(cache.lease(block));
    frame.release();
    frame.release(); // taken by the loop above
  }
}
