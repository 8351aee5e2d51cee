package sluice.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.block.Block;

/// Tests scattered memory, copies on write, and given memory. Each supports all operations of
/// [Memory], never gives its holder more than was given, and keeps leases and charges right.
@Timeout(120)
final class MemoryKindsTest {
  private final Account account = new Account("test", 1 << 20);
  private final List<Block> blocks = new ArrayList<>();

  private Block block(int... bytes) {
    Block block = requireNonNull(Block.allocate(account, bytes.length));
    for (int i = 0; i < bytes.length; i++) {
      block.segment().set(ValueLayout.JAVA_BYTE, i, (byte) bytes[i]);
    }
    blocks.add(block);
    return block;
  }

  private Memory over(int... bytes) {
    return Memory.over(block(bytes), 0, bytes.length);
  }

  private void releaseBlocks() {
    blocks.forEach(Block::release);
    assertThat(account.usedBytes()).isZero();
  }

  private static byte[] bytes(Memory memory) {
    byte[] bytes = new byte[Math.toIntExact(memory.lengthBytes())];
    memory.copyTo(0, bytes, 0, bytes.length);
    return bytes;
  }

  // ---- scattered --------------------------------------------------------------------------------

  @Test
  void scatteredMemoryIsOneRange() {
    Memory first = over(1, 2, 3);
    Memory second = over(4);
    Memory third = over(5, 6, 7, 8, 9, 10, 11);
    Memory all = Memory.scattered(List.of(first, second, third));
    assertThat(bytes(all)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    assertThat(all.getInt(1)).isEqualTo(0x05040302);
    assertThat(all.getLong(2)).isEqualTo(0x0a09080706050403L);
    assertThat(all.getInt(6)).isEqualTo(0x0a090807);
    all.setLong(0, 0x1817161514131211L);
    assertThat(bytes(first)).containsExactly(0x11, 0x12, 0x13);
    assertThat(second.get(0)).isEqualTo((byte) 0x14);
    assertThat(bytes(all.slice(2, 3))).containsExactly(0x13, 0x14, 0x15);
    assertThat(all.slice(11, 0).lengthBytes()).isZero();
    for (long offset : new long[] {-1, 11, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> all.get(offset)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> all.getLong(offset)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> all.slice(offset, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> all.getLong(4)).isInstanceOf(IndexOutOfBoundsException.class);
    List.of(first, second, third).forEach(Memory::close);
    releaseBlocks();
  }

  @Test
  void scatteredMemoryEndsNothingAndEndsWithItsPieces() {
    Memory first = over(1, 2);
    Memory second = over(3, 4);
    Memory all = Memory.scattered(List.of(first, second));
    assertThat(blocks.getFirst().leases()).as("none of its own").isEqualTo(2);
    assertThatThrownBy(all::revoke)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("Fix:");
    assertThatThrownBy(all::revokeNow).isInstanceOf(UnsupportedOperationException.class);
    all.close();
    assertThat(all.isLive()).isTrue();
    second.revoke();
    assertThat(all.isLive()).isFalse();
    assertThat(all.get(1)).isEqualTo((byte) 2);
    assertThatThrownBy(() -> all.get(2)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> all.getInt(0)).isInstanceOf(IllegalStateException.class);
    first.close();
    releaseBlocks();
  }

  @Test
  void scatteredMemoryIsReadOnlyWhenAPieceIs() {
    Memory first = over(1, 2);
    Memory second = Memory.readOnlyOver(block(3, 4), 0, 2);
    Memory all = Memory.scattered(List.of(first, second));
    assertThat(all.isReadOnly()).isTrue();
    assertThatThrownBy(() -> all.set(0, (byte) 9))
        .isInstanceOfAny(UnsupportedOperationException.class, IllegalArgumentException.class);
    assertThatThrownBy(() -> all.writable(account))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(all.slice(0, 1).isReadOnly()).isTrue();
    Memory ofWritable = Memory.scattered(List.of(first, first.slice(1, 1)));
    Memory readOnly = ofWritable.asReadOnly();
    assertThat(readOnly.slice(1, 2).isReadOnly()).isTrue();
    assertThatThrownBy(() -> readOnly.set(2, (byte) 9))
        .isInstanceOfAny(UnsupportedOperationException.class, IllegalArgumentException.class);
    assertThatThrownBy(() -> readOnly.slice(0, 1).set(0, (byte) 9))
        .isInstanceOfAny(UnsupportedOperationException.class, IllegalArgumentException.class);
    assertThat(bytes(first)).containsExactly(1, 2);
    first.close();
    second.close();
    releaseBlocks();
  }

  @Test
  void scatteredMemoryIsBounded() {
    Memory one = over(1);
    assertThatThrownBy(() -> Memory.scattered(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Memory.scattered(Collections.nCopies(1025, one)))
        .isInstanceOf(IllegalArgumentException.class);
    Memory most = Memory.scattered(Collections.nCopies(1024, one));
    assertThat(most.lengthBytes()).isEqualTo(1024);
    assertThatThrownBy(() -> Memory.scattered(List.of(most, one)))
        .as("pieces of pieces count")
        .isInstanceOf(IllegalArgumentException.class);
    one.close();
    releaseBlocks();
  }

  /// Compares scattered memory with a byte array.
  @Test
  void scatteredMemoryDoesAsAnArrayDoes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Memory> pieces = new ArrayList<>();
    int length = 0;
    for (int i = 0; i < 20; i++) {
      int bytes = 1 + random.nextInt(20);
      length += bytes;
      pieces.add(over(new int[bytes]));
    }
    Memory all = Memory.scattered(pieces);
    byte[] model = new byte[length];
    Block spare = block(new int[length]);
    for (int step = 0; step < 20_000; step++) {
      step(random, all, model, spare);
      assertThat(bytes(all)).as("seed %d, step %d", seed, step).isEqualTo(model);
    }
    pieces.forEach(Memory::close);
    releaseBlocks();
  }

  private static void step(Random random, Memory all, byte[] bytes, Block spare) {
    ByteBuffer model = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int length = bytes.length;
    int from = random.nextInt(length - 8);
    int to = random.nextInt(length);
    int count = random.nextInt(length - Math.max(from, to));
    switch (random.nextInt(7)) {
      case 0 -> {
        assertThat(all.getLong(from)).isEqualTo(model.getLong(from));
        all.setLong(from, to * 0x0102030405060708L);
        model.putLong(from, to * 0x0102030405060708L);
      }
      case 1 -> {
        assertThat(all.getInt(from)).isEqualTo(model.getInt(from));
        all.setInt(from, to * 0x01020304);
        model.putInt(from, to * 0x01020304);
      }
      case 2 -> {
        all.set(from, (byte) to);
        model.put(from, (byte) to);
      }
      case 3 -> {
        byte[] some = new byte[count + 3];
        random.nextBytes(some);
        all.copyFrom(some, 3, to, count);
        model.put(to, some, 3, count);
      }
      case 4 -> {
        all.copyTo(from, spare, to, count);
        all.copyFrom(spare, to, from, count);
      }
      case 5 -> {
        Memory part = all.slice(from, count);
        byte[] wanted = Arrays.copyOfRange(bytes, from, from + count);
        assertThat(bytes(part)).isEqualTo(wanted);
      }
      default -> {
        // Without an overlap, which would expose the order in which the pieces are copied.
        int half = length / 2;
        int some = random.nextInt(half - 1);
        all.slice(0, half).copyTo(half - some, all.slice(half, length - half), 1, some);
        System.arraycopy(bytes, half - some, bytes, half + 1, some);
      }
    }
  }

  @Test
  void writableScatteredMemoryIsACopy() {
    Memory first = over(1, 2);
    Memory all = Memory.scattered(List.of(first, first.slice(0, 1)));
    Memory own = requireNonNull(all.writable(account));
    own.set(0, (byte) 9);
    assertThat(bytes(own)).containsExactly(9, 2, 1);
    assertThat(bytes(all)).containsExactly(1, 2, 1);
    own.close();
    first.close();
    releaseBlocks();
  }

  // ---- copy on write ----------------------------------------------------------------------------

  private Memory copyOnWrite(Block block) {
    return requireNonNull(Memory.copyOnWrite(block, 0, block.lengthBytes(), account));
  }

  @Test
  void theFirstWriteMakesACopy() {
    Block block = block(1, 2, 3, 4);
    Memory memory = copyOnWrite(block);
    Memory part = memory.slice(1, 2);
    Memory reader = memory.asReadOnly();
    assertThat(account.usedBytes()).as("charged for the copy").isEqualTo(8);
    assertThat(block.leases()).isEqualTo(2);
    assertThat(bytes(memory)).containsExactly(1, 2, 3, 4);
    part.set(0, (byte) 9);
    assertThat(block.leases()).as("the original is not needed any more").isEqualTo(1);
    assertThat(account.usedBytes()).isEqualTo(8);
    assertThat(bytes(memory)).containsExactly(1, 9, 3, 4);
    assertThat(bytes(reader)).containsExactly(1, 9, 3, 4);
    assertThat(block.segment().get(ValueLayout.JAVA_BYTE, 1)).isEqualTo((byte) 2);
    memory.close();
    memory.close();
    assertThat(account.usedBytes()).isEqualTo(4);
    assertThatThrownBy(() -> part.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> part.set(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    releaseBlocks();
  }

  @Test
  void aCopyThatIsNotNeededIsRefunded() {
    Block block = block(1, 2);
    Memory memory = copyOnWrite(block);
    assertThatThrownBy(() -> memory.set(2, (byte) 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(block.leases()).as("nothing was written").isEqualTo(2);
    memory.revoke();
    assertThat(account.usedBytes()).isEqualTo(2);
    assertThat(block.leases()).isEqualTo(1);
    assertThatThrownBy(memory::revoke).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> memory.get(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> memory.set(0, (byte) 1)).isInstanceOf(IllegalStateException.class);
    assertThat(account.usedBytes()).as("a late write makes no copy").isEqualTo(2);
    Account poor = new Account("poor", 1);
    assertThat(Memory.copyOnWrite(block, 0, 2, poor)).isNull();
    assertThatThrownBy(() -> Memory.copyOnWrite(block, 1, 2, account))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(account.usedBytes()).isEqualTo(2);
    releaseBlocks();
  }

  @Test
  void revokingACopyOnWriteEndsEarlierReferencesBeforeAndAfterTheCopy() {
    Block block = block(1, 2);
    Memory memory = copyOnWrite(block);
    Memory fresh = memory.revokeNow();
    assertThatThrownBy(() -> memory.set(0, (byte) 7)).isInstanceOf(IllegalStateException.class);
    assertThat(fresh.get(0)).isEqualTo((byte) 1);
    fresh.set(0, (byte) 8);
    Memory part = fresh.slice(0, 1);
    Memory fresher = fresh.revokeNow();
    assertThatThrownBy(() -> part.get(0)).isInstanceOf(IllegalStateException.class);
    assertThat(fresher.get(0)).isEqualTo((byte) 8);
    assertThat(account.usedBytes()).isEqualTo(4);
    fresher.set(1, (byte) 9);
    fresher.close();
    assertThat(block.segment().toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2);
    releaseBlocks();
  }

  @Test
  void aReadOnlyPartOfACopyOnWriteNeverWrites() {
    Memory memory = copyOnWrite(block(1, 2));
    Memory readOnly = memory.asReadOnly();
    assertThat(readOnly.isReadOnly()).isTrue();
    assertThat(readOnly.slice(0, 1).isReadOnly()).isTrue();
    assertThatThrownBy(() -> readOnly.set(0, (byte) 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> readOnly.slice(0, 1).copyFrom(new byte[1], 0, 0, 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> readOnly.writable(account))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(readOnly::revoke).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> memory.slice(0, 1).revokeNow())
        .isInstanceOf(UnsupportedOperationException.class);
    readOnly.close();
    memory.slice(0, 1).close();
    assertThat(memory.isLive()).isTrue();
    memory.close();
    releaseBlocks();
  }

  /// Tests that readers see each byte as it was before or after a write, and are never refused
  /// because of the copy.
  @Test
  void readersDoNotNoticeTheCopy() throws InterruptedException {
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    for (int run = 0; run < 200; run++) {
      Block block = block(1, 1, 1, 1, 1, 1, 1, 1);
      Memory memory = copyOnWrite(block);
      CountDownLatch reading = new CountDownLatch(2);
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Thread reader = Thread.ofPlatform().unstarted(() -> readUntilWritten(memory, reading));
        reader.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
        readers.add(reader);
        reader.start();
      }
      reading.await();
      memory.setLong(0, 2);
      for (Thread reader : readers) {
        reader.join();
      }
      memory.close();
    }
    assertThat(failures).isEmpty();
    releaseBlocks();
  }

  private static void readUntilWritten(Memory memory, CountDownLatch reading) {
    boolean first = true;
    while (true) {
      long value = memory.getLong(0);
      if (first) {
        reading.countDown();
        first = false;
      }
      if (value == 2) {
        return;
      }
      if (value != 0x0101010101010101L) {
        throw new AssertionError("neither of both: " + Long.toHexString(value));
      }
    }
  }

  @Test
  void twoFirstWritersShareOneCopy() throws InterruptedException {
    for (int run = 0; run < 200; run++) {
      Memory memory = copyOnWrite(block(0, 0));
      Thread other = Thread.ofPlatform().start(() -> memory.set(0, (byte) 1));
      memory.set(1, (byte) 2);
      other.join();
      assertThat(bytes(memory)).containsExactly(1, 2);
      memory.close();
    }
    releaseBlocks();
  }

  // ---- given ------------------------------------------------------------------------------------

  @Test
  void whatWasGivenIsNotTakenBack() {
    Block block = block(1, 2);
    Memory given = Memory.give(block, 0, 2);
    assertThatThrownBy(given::revoke)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("Fix:");
    assertThatThrownBy(given::revokeNow).isInstanceOf(UnsupportedOperationException.class);
    given.close();
    given.slice(0, 1).close();
    assertThat(given.isLive()).isTrue();
    given.set(0, (byte) 7);
    assertThat(given.slice(0, 1).get(0)).isEqualTo((byte) 7);
    Memory readOnly = Memory.giveReadOnly(block, 0, 2);
    assertThatThrownBy(() -> readOnly.set(0, (byte) 1))
        .isInstanceOfAny(UnsupportedOperationException.class, IllegalArgumentException.class);
    assertThatThrownBy(() -> readOnly.writable(account))
        .isInstanceOf(UnsupportedOperationException.class);
    Memory reader = given.asReadOnly();
    Memory own = requireNonNull(given.writable(account));
    own.set(0, (byte) 9);
    assertThat(reader.get(0)).as("others hold it: a copy").isEqualTo((byte) 7);
    own.close();
  }

  @Test
  void itsLeaseEndsWithTheLastReference() {
    Memory part = givenPart();
    for (int i = 0; i < 3; i++) {
      System.gc();
      assertThat(part.get(0)).isEqualTo((byte) 2);
      assertThat(account.usedBytes()).isEqualTo(2);
    }
    part = over(5);
    long start = System.nanoTime();
    while (account.usedBytes() > 1) {
      assertThat(System.nanoTime() - start).as("nanoseconds").isLessThan(60_000_000_000L);
      System.gc();
      LockSupport.parkNanos(1_000_000);
    }
    part.close();
    releaseBlocks();
  }

  private Memory givenPart() {
    Block block = requireNonNull(Block.allocate(account, 2));
    Memory given = Memory.give(block, 0, 2);
    block.release();
    given.set(1, (byte) 2);
    return given.slice(1, 1);
  }
}
