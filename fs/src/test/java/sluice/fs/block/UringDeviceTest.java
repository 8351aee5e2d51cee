package sluice.fs.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.fs.Blocks;
import sluice.fs.Errnos;
import sluice.fs.Stamps;
import sluice.fs.device.UringDevice;
import sluice.fs.storage.BlockDevices;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.block.Block;
import sluice.sys.Errno;

final class UringDeviceTest extends BlockDeviceContract {
  @TempDir Path directory;

  private final List<String> notices = new ArrayList<>();

  private Path image() {
    return directory.resolve("image");
  }

  @Override
  BlockDevice open() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image().toFile(), "rw")) {
      file.setLength(SIZE);
    }
    return BlockDevices.direct(image(), false, notices::add);
  }

  @Test
  void isDirectOrSaysWhyNot() throws IOException {
    Path other = directory.resolve("other");
    java.nio.file.Files.write(other, new byte[1 << 20]);
    notices.clear();
    try (BlockDevice device = BlockDevices.direct(other, false, notices::add)) {
      System.out.println("direct device: " + device.getClass().getSimpleName() + " " + notices);
      assertThat(device instanceof UringDevice).isEqualTo(notices.isEmpty());
    }
  }

  @Test
  void saysWhyItIsNotTheFastest() throws IOException {
    Path small = directory.resolve("small");
    java.nio.file.Files.write(small, new byte[512]);
    try (BlockDevice device = BlockDevices.direct(small, true, notices::add)) {
      assertThat(device.lengthBytes()).isEqualTo(512);
      assertThat(notices).isNotEmpty();
    }
    assertThat(Errnos.of(() -> BlockDevices.direct(image(), false, notices::add)))
        .isEqualTo(Errno.EAGAIN);
  }

  @Test
  void servesACacheWhoseMemoryIsRegistered() throws IOException {
    Path other = directory.resolve("other");
    java.nio.file.Files.write(other, new byte[1 << 20]);
    Block bytes = Blocks.of(4096);
    try (BlockDevice device = BlockDevices.direct(other, false, notices::add)) {
      BufferCache cache = BufferCaches.open(device, 4096, 128 * 4096);
      Journal journal = Journals.plain(cache);
      for (int block = 0; block < 256; block++) {
        try (Transaction transaction = journal.begin(1)) {
          Stamps.write(transaction.change(block).block(), block, block + 1);
        }
      }
      journal.close();
      cache.close();
      for (int block = 0; block < 256; block++) {
        device.read(block * 4096L, bytes, 0, 4096);
        assertThat(Stamps.version(bytes.segment(), block)).isEqualTo(block + 1);
      }
    } finally {
      bytes.release();
    }
  }
}
