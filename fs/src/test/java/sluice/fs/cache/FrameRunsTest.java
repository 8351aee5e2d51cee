package sluice.fs.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.fs.Blocks;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.Journals;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Tests overwriting and forgetting many blocks at a time. Bytes, leases and the list of dirty
/// frames are the same as with one block at a time, wherever the frames are.
@Timeout(120)
final class FrameRunsTest {
  private static final int BLOCK = 1024;
  private static final int FRAMES = 1024; // enough to prevent write-back in the meantime
  private static final int COUNT = 100; // more than are claimed at once

  private final Block source = Blocks.of(COUNT * BLOCK);
  private final Memory memory = Memory.over(source, 0, COUNT * BLOCK);
  private BlockDevice device;
  private FrameCache cache;
  private Journal journal;

  @BeforeEach
  void open() throws IOException {
    device = BlockDevices.memory(1024 * BLOCK);
    cache = (FrameCache) TestCaches.open(device, BLOCK, FRAMES * BLOCK);
    journal = Journals.plain(cache);
  }

  @AfterEach
  void close() throws IOException {
    journal.close();
    cache.close();
    memory.close();
    source.release();
    device.close();
  }

  /// Writes `seed + i` at the beginning and the end of the i-th block of the source.
  private void fill(int seed) {
    for (int i = 0; i < COUNT; i++) {
      memory.setInt((long) i * BLOCK, seed + i);
      memory.setInt((long) i * BLOCK + BLOCK - 4, seed + i);
    }
  }

  private void overwrite(long block, int count, int seed) throws IOException {
    fill(seed);
    try (Transaction transaction = journal.begin(0)) {
      transaction.overwrite(block, count, memory, 0);
    }
  }

  private void forget(long block, int count) throws IOException {
    try (Transaction transaction = journal.begin(0)) {
      transaction.forgetData(block, count);
    }
  }

  private void assertHolds(long block, int count, int seed) throws IOException {
    for (int i = 0; i < count; i++) {
      try (Buffer buffer = cache.read(block + i)) {
        assertThat(buffer.getInt(0)).as("block %d", block + i).isEqualTo(seed + i);
        assertThat(buffer.getInt(BLOCK - 4)).as("block %d", block + i).isEqualTo(seed + i);
      }
    }
  }

  @ParameterizedTest(name = "frames are neighbours {0}")
  @ValueSource(booleans = {true, false})
  void allAreOverwrittenWhereverTheyLie(boolean neighbours) throws IOException {
    for (int i = 0; i < COUNT; i++) {
      cache.read(10 + (neighbours ? i : COUNT - 1 - i)).close();
    }
    overwrite(10, COUNT, 1000);
    assertHolds(10, COUNT, 1000);
    assertThat(cache.dirtyBytes()).isEqualTo(COUNT * BLOCK);
    overwrite(10, COUNT, 2000);
    assertHolds(10, COUNT, 2000);
    assertThat(cache.dirtyBytes()).isEqualTo(COUNT * BLOCK);
    journal.sync();
    assertThat(cache.dirtyBytes()).isZero();
    device.read(20 * BLOCK, source, 0, BLOCK);
    assertThat(memory.getInt(0)).isEqualTo(2010);
  }

  /// Overwrites blocks of which some are dirty already and some are not.
  @Test
  void theListOfWhatIsChangedHasEachOnce() throws IOException {
    overwrite(10, 40, 0);
    journal.sync();
    for (int i = 0; i < 40; i += 5) {
      overwrite(10 + i, 2, 0);
    }
    assertThat(cache.dirtyBytes()).isEqualTo(16 * BLOCK);
    overwrite(5, 50, 3000);
    assertHolds(5, 50, 3000);
    assertThat(cache.dirtyBytes()).isEqualTo(50 * BLOCK);
    forget(5, 50);
    assertThat(cache.dirtyBytes()).isZero();
  }

  @Test
  void aLeaseInTheMiddleKeepsItsBytes() throws IOException {
    overwrite(10, COUNT, 1000);
    Block leased = requireNonNull(cache.lease(40));
    overwrite(10, COUNT, 2000);
    assertHolds(10, COUNT, 2000);
    assertThat(Buffer.unsignedInt(leased, 0)).isEqualTo(1030);
    leased.release();
    assertThat(cache.dirtyBytes()).isEqualTo(COUNT * BLOCK);
  }

  @Test
  void metadataBecomesContent() throws IOException {
    for (int i = 10; i < 13; i++) {
      cache.read(i).close();
    }
    try (Transaction transaction = journal.begin(1)) {
      transaction.create(11).close();
    }
    overwrite(10, 3, 1000);
    assertHolds(10, 3, 1000);
    fill(4000);
    assertThat(journal.tryOverwrite(10, 0, memory, 0, 3 * BLOCK)).isEqualTo(3 * BLOCK);
    assertHolds(10, 3, 4000);
  }

  @Test
  void withoutATransactionOnlyAsFarAsTheyAreChanged() throws IOException {
    overwrite(10, 20, 1000);
    journal.sync();
    overwrite(12, 6, 1002);
    fill(2000);
    assertThat(journal.tryOverwrite(10, 0, memory, 0, 20 * BLOCK)).isZero();
    assertThat(journal.tryOverwrite(12, 0, memory, 2 * BLOCK, 18 * BLOCK)).isEqualTo(6 * BLOCK);
    assertHolds(10, 2, 1000);
    assertHolds(12, 6, 2002);
    assertHolds(18, 2, 1008);
    assertThat(cache.dirtyBytes()).isEqualTo(6 * BLOCK);
    // From the middle of one block to the middle of another.
    memory.setInt(4, -1);
    memory.setInt(4 + 2 * BLOCK, -2);
    assertThat(journal.tryOverwrite(13, 8, memory, 4, 2 * BLOCK + 4)).isEqualTo(2 * BLOCK + 4);
    try (Buffer first = cache.read(13);
        Buffer last = cache.read(15)) {
      assertThat(first.getInt(0)).isEqualTo(2003);
      assertThat(first.getInt(8)).isEqualTo(-1);
      assertThat(last.getInt(8)).isEqualTo(-2);
      assertThat(last.getInt(BLOCK - 4)).isEqualTo(2005);
    }
    assertThatThrownBy(() -> journal.tryOverwrite(13, BLOCK, memory, 0, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> journal.tryOverwrite(13, -1, memory, 0, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  /// Checks that frames are zeroed, because their previous content may belong to another file.
  @Test
  void whenTheSourceFailsThereAreZeros() throws IOException {
    overwrite(10, COUNT, 1000);
    journal.sync();
    try (Transaction transaction = journal.begin(0)) {
      assertThatThrownBy(() -> transaction.overwrite(20, 10, memory, (COUNT - 4) * BLOCK))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertHolds(10, 10, 1000);
    for (int i = 20; i < 30; i++) {
      try (Buffer buffer = cache.read(i)) {
        assertThat(buffer.getInt(0)).isZero();
        assertThat(buffer.getInt(BLOCK - 4)).isZero();
      }
    }
    assertHolds(30, COUNT - 20, 1020);
    assertThat(cache.dirtyBytes()).isEqualTo(10 * BLOCK);
    overwrite(10, COUNT, 5000);
    assertHolds(10, COUNT, 5000);
  }

  @Test
  void whatIsForgottenIsNotWrittenButWhatIsLeasedStays() throws IOException {
    overwrite(10, COUNT, 1000);
    Block leased = requireNonNull(cache.lease(40));
    forget(5, COUNT + 10); // some were never in the cache
    assertThat(cache.dirtyBytes()).isZero();
    assertThat(Buffer.unsignedInt(leased, 0)).isEqualTo(1030);
    leased.release();
    journal.sync();
    device.read(40 * BLOCK, source, 0, BLOCK);
    assertThat(memory.getInt(0)).isZero();
    overwrite(10, COUNT, 2000);
    assertHolds(10, COUNT, 2000);
    assertThat(cache.dirtyBytes()).isEqualTo(COUNT * BLOCK);
  }
}
