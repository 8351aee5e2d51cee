package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.fs.Blocks;
import sluice.fs.Errnos;
import sluice.fs.block.BlockDevice.Transfer;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// The contract that every block device fulfills.
@Timeout(120)
abstract class BlockDeviceContract {
  static final long SIZE = 4 << 20;

  private BlockDevice device;
  private final List<Block> blocks = new ArrayList<>();

  /// Opens a writable device of [#SIZE] bytes, all zeros.
  abstract BlockDevice open() throws IOException;

  @BeforeEach
  void openDevice() throws IOException {
    device = open();
  }

  @AfterEach
  void closeDevice() throws IOException {
    device.close();
    for (Block block : blocks) {
      assertThat(block.leases()).as("leases left over").isEqualTo(1);
      block.release();
    }
  }

  private Block patterned(int bytes, int seed) {
    return kept(Blocks.patterned(bytes, seed));
  }

  private Block empty(int bytes) {
    return kept(Blocks.of(bytes));
  }

  private Block kept(Block block) {
    blocks.add(block);
    return block;
  }

  @Test
  void tellsItsMeasures() {
    assertThat(device.lengthBytes()).isEqualTo(SIZE);
    assertThat(device.sectorBytes()).isBetween(512, 4096);
    assertThat(Integer.bitCount(device.sectorBytes())).isOne();
    assertThat(device.readOnly()).isFalse();
  }

  @Test
  void readsZerosAtFirst() throws IOException {
    Block into = patterned(8192, 1);
    device.read(SIZE - 8192, into, 0, 8192);
    assertThat(Blocks.bytes(into)).containsOnly(0);
  }

  @Test
  void readsBackWhatWasWrittenWhereItWasWritten() throws IOException {
    Block from = patterned(8192, 2);
    device.write(12288, from, 0, 8192);
    Block into = empty(16384);
    device.read(8192, into, 0, 16384);
    byte[] expected = new byte[16384];
    System.arraycopy(Blocks.bytes(from), 0, expected, 4096, 8192);
    assertThat(Blocks.bytes(into)).isEqualTo(expected);
  }

  @Test
  void usesPartsOfBlocks() throws IOException {
    Block from = patterned(16384, 3);
    device.write(0, from, 4096, 4096);
    Block into = empty(16384);
    device.read(0, into, 8192, 4096);
    byte[] all = Blocks.bytes(from);
    byte[] expected = new byte[16384];
    System.arraycopy(all, 4096, expected, 8192, 4096);
    assertThat(Blocks.bytes(into)).isEqualTo(expected);
  }

  @Test
  void reachesTheLastSector() throws IOException {
    int sector = device.sectorBytes();
    Block from = patterned(4096, 4);
    device.write(SIZE - sector, from, 0, sector);
    Block into = empty(4096);
    device.read(SIZE - sector, into, 0, sector);
    assertThat(Blocks.bytes(into)).startsWith(java.util.Arrays.copyOf(Blocks.bytes(from), sector));
  }

  @Test
  void carriesOutBatches() throws IOException {
    int count = 300; // more than the entries of a ring
    Transfer[] writes = new Transfer[count + 1];
    Transfer[] reads = new Transfer[count];
    Block target = empty(count * 4096);
    for (int i = 0; i < count; i++) {
      int at = i * 7 % count;
      writes[i] = new Transfer(at * 8192L, patterned(4096, at), 0, 4096);
      reads[i] = new Transfer(i * 8192L, target, i * 4096L, 4096);
    }
    device.write(writes, count);
    device.flush();
    device.read(reads, count);
    for (int i = 0; i < count; i++) {
      assertThat(target.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, i * 4096L + 100))
          .isEqualTo(Blocks.pattern(i, 100));
    }
    device.write(writes, 0);
    device.read(reads, 0);
  }

  @Test
  void writesNeighboursOfABatch() throws IOException {
    int sector = device.sectorBytes();
    byte[] expected = new byte[(int) SIZE];
    List<Transfer> writes = new ArrayList<>();
    long position = 3L * sector;
    for (int i = 0; i < 600; i++) { // more than one call takes
      int bytes = sector * (1 + i % 3);
      Block from = patterned(4 * sector, i);
      writes.add(new Transfer(position, from, sector, bytes));
      System.arraycopy(Blocks.bytes(from), sector, expected, (int) position, bytes);
      position += bytes + (i % 50 == 49 ? sector : 0);
      if (position > SIZE - 8L * sector) {
        break;
      }
    }
    Transfer[] all = writes.toArray(Transfer[]::new);
    device.write(all, all.length);
    Block into = empty((int) SIZE);
    device.read(0, into, 0, (int) SIZE);
    assertThat(java.util.Arrays.mismatch(Blocks.bytes(into), expected)).isEqualTo(-1);
    Transfer[] reads = new Transfer[all.length];
    // Some have the same order in memory and on the device, some do not.
    for (int i = 0; i < all.length; i++) {
      Block one = i % 4 == 0 ? empty(4 * sector) : into;
      long offset = one == into ? all[i].position() : sector;
      reads[i] = new Transfer(all[i].position(), one, offset, all[i].bytes());
    }
    into.segment().fill((byte) 0);
    device.read(reads, reads.length);
    byte[] together = Blocks.bytes(into);
    for (Transfer read : reads) {
      int from = (int) read.position();
      byte[] got = read.block() == into ? together : Blocks.bytes(read.block());
      int at = (int) read.offset();
      assertThat(
              java.util.Arrays.equals(
                  got, at, at + read.bytes(), expected, from, from + read.bytes()))
          .as("what was read at %d", from)
          .isTrue();
    }
    Transfer[] outside = {all[0], new Transfer(0, all[1].block(), 3L * sector, 2 * sector)};
    assertThatThrownBy(() -> device.write(outside, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void refusesWhatIsNotMadeOfSectors() {
    Block block = empty(8192);
    assertThatThrownBy(() -> device.read(100, block, 0, 4096))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> device.write(0, block, 0, 100))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> device.write(-4096, block, 0, 4096))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesWhatIsBeyondItsEnd() {
    Block block = empty(8192);
    Transfer[] beyond = {new Transfer(SIZE, block, 0, 4096)};
    assertThat(Errnos.of(() -> device.read(SIZE - 4096, block, 0, 8192))).isEqualTo(Errno.EIO);
    assertThat(Errnos.of(() -> device.write(SIZE, block, 0, 4096))).isEqualTo(Errno.EIO);
    assertThat(Errnos.of(() -> device.write(Long.MAX_VALUE & -4096, block, 0, 4096)))
        .isEqualTo(Errno.EIO);
    assertThat(Errnos.of(() -> device.read(beyond, 1))).isEqualTo(Errno.EIO);
  }

  @Test
  void refusesRangesOutsideOfTheBlock() {
    Block block = empty(4096);
    assertThatThrownBy(() -> device.read(0, block, 0, 8192))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> device.write(0, block, 4096, 4096))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void refusesUseAfterClose() throws IOException {
    Block block = empty(4096);
    device.close();
    device.close();
    assertThat(Errnos.of(() -> device.read(0, block, 0, 4096))).isEqualTo(Errno.EBADF);
    assertThat(Errnos.of(() -> device.write(0, block, 0, 4096))).isEqualTo(Errno.EBADF);
    assertThat(Errnos.of(() -> device.flush())).isEqualTo(Errno.EBADF);
  }

  @Test
  void servesManyThreads() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Callable<Boolean>> work = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int own = t;
        Block from = patterned(4096, t);
        Block into = empty(4096);
        work.add(() -> {
          for (int i = 0; i < 100; i++) {
            long position = (i * 4L + own) * 4096;
            device.write(position, from, 0, 4096);
            device.read(position, into, 0, 4096);
            if (into.segment().mismatch(from.segment()) >= 0) {
              return false;
            }
            if (i % 50 == 0) {
              device.flush();
            }
          }
          return true;
        });
      }
      for (Future<Boolean> done : threads.invokeAll(work, 100, TimeUnit.SECONDS)) {
        assertThat(done.get()).isTrue();
      }
    }
  }
}
