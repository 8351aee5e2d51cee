package sluice.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

@Timeout(60)
final class MemoryFileTest {
  private static final int PAGES = 64 << 10;

  private final Account account = new Account("test", 1L << 30);

  @Test
  void blocksAreZeroedChargedAndReadableAsAFile() throws IOException {
    try (MemoryFile file = MemoryFile.open("test", 1 << 20)) {
      Block block = allocate(file, 100_000);
      assertThat(account.usedBytes()).isEqualTo(2L * PAGES);
      assertThat(block.segment().byteSize()).isEqualTo(100_000);
      assertThat(block.segment().get(JAVA_BYTE, 99_999)).isZero();
      block.segment().set(JAVA_BYTE, 99_999, (byte) 7);
      Block read = allocate(file, 10);
      int fd = block.fileDescriptor();
      long at = block.filePosition() + 99_999;
      assertThat(Files.pread(fd, read.segment(), 0, 1, at)).isEqualTo(1);
      assertThat(read.segment().get(JAVA_BYTE, 0)).isEqualTo((byte) 7);
      block.release();
      read.release();
      assertThat(account.usedBytes()).isZero();
      Block again = allocate(file, 100_000);
      assertThat(again.segment().get(JAVA_BYTE, 99_999)).isZero();
      again.release();
    }
  }

  @Test
  void fullMeansNull() throws IOException {
    try (MemoryFile file = MemoryFile.open("test", 4 * PAGES)) {
      Block most = allocate(file, 3 * PAGES);
      assertThat(file.allocate(account, 2 * PAGES)).isNull();
      assertThat(account.usedBytes()).isEqualTo(3L * PAGES);
      Account poor = new Account("poor", PAGES - 1);
      assertThat(file.allocate(poor, 1)).isNull();
      allocate(file, 1).release();
      most.release();
    }
  }

  @Test
  void freeRangesAreJoinedAndNoTwoBlocksOverlap() throws IOException {
    Random random = new Random(7);
    try (MemoryFile file = MemoryFile.open("test", 64L * PAGES)) {
      List<Block> held = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        if (random.nextInt(3) > 0) {
          Block block = file.allocate(account, 1 + random.nextInt(5 * PAGES));
          if (block != null) {
            block.segment().fill((byte) i);
            held.add(block);
          }
        } else if (!held.isEmpty()) {
          Block block = held.remove(random.nextInt(held.size()));
          byte first = block.segment().get(JAVA_BYTE, 0);
          byte[] wanted = new byte[Math.toIntExact(block.lengthBytes())];
          Arrays.fill(wanted, first);
          assertThat(Arrays.equals(block.segment().toArray(JAVA_BYTE), wanted)).isTrue();
          block.release();
        }
      }
      held.forEach(Block::release);
      assertThat(file.freeRanges()).isEqualTo(1);
      assertThat(account.usedBytes()).isZero();
    }
  }

  /// Bytes in the queues of sockets are the pages of the block: they must stay when it is freed and
  /// its place is used again.
  @Test
  void whatWasSentStaysWhatItWas() throws IOException {
    int bytes = 1 << 20;
    try (MemoryFile file = MemoryFile.open("test", bytes);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int type = Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK;
      int socket = Sockets.socket(SocketAddresses.AF_INET, type, 0);
      int _ = Sockets.connect(socket, server.getLocalSocketAddress());
      try (Socket reader = server.accept()) {
        Block block = allocate(file, bytes);
        block.segment().fill((byte) 'a');
        long sent = Files.sendfile(socket, block.fileDescriptor(), block.filePosition(), bytes);
        assertThat(sent).isGreaterThan(PAGES);
        long place = block.filePosition();
        block.release();
        Block other = allocate(file, bytes);
        assertThat(other.filePosition()).isEqualTo(place);
        other.segment().fill((byte) 'b');
        InputStream in = reader.getInputStream();
        byte[] read = in.readNBytes(Math.toIntExact(sent));
        byte[] wanted = new byte[read.length];
        Arrays.fill(wanted, (byte) 'a');
        assertThat(Arrays.equals(read, wanted)).isTrue();
        other.release();
      } finally {
        int _ = Files.close(socket);
      }
    }
  }

  @Test
  void theFileEndsWithItsLastBlock() throws IOException {
    MemoryFile file = MemoryFile.open("sluice-ends", PAGES);
    Block block = allocate(file, 10);
    file.close();
    assertThat(file.allocate(account, 1)).isNull();
    assertThat(openFiles("sluice-ends")).isEqualTo(1);
    block.segment().set(JAVA_BYTE, 0, (byte) 1);
    block.release();
    assertThat(openFiles("sluice-ends")).isZero();
  }

  private Block allocate(MemoryFile file, long bytes) {
    Block block = file.allocate(account, bytes);
    if (block == null) {
      throw new AssertionError("no room");
    }
    return block;
  }

  private static long openFiles(String name) throws IOException {
    try (Stream<Path> descriptors = java.nio.file.Files.list(Path.of("/proc/self/fd"))) {
      return descriptors
          .filter(link -> {
            try {
              return java.nio.file.Files.readSymbolicLink(link).toString().contains(name);
            } catch (IOException e) {
              return false; // the descriptor of the listing itself
            }
          })
          .count();
    }
  }
}
