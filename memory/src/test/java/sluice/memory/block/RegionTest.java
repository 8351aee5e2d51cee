package sluice.memory.block;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.memory.Account;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

@Timeout(60)
final class RegionTest {
  private static final int PAGES = 64 << 10;

  private final Account account = new Account("test", 1L << 30);

  @Test
  void blocksAreZeroedChargedAndReadableAsAFile() throws IOException {
    try (Region file = Region.openMemoryFile("test", 1 << 20)) {
      Block block = allocate(file, 100_000);
      assertThat(account.usedBytes()).isEqualTo(2L * PAGES);
      assertThat(block.segment().byteSize()).isEqualTo(100_000);
      assertThat(block.segment().get(JAVA_BYTE, 99_999)).isZero();
      block.segment().set(JAVA_BYTE, 99_999, (byte) 7);
      Block read = allocate(file, 10);
      int fd = block.fileDescriptor();
      long at = block.regionOffset() + 99_999;
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
  void aSingleBlockEndsItsRegionAndGivesPagesBack() throws IOException {
    Block block = Objects.requireNonNull(Region.single("test", account, 3L * PAGES, PAGES, false));
    Region region = Objects.requireNonNull(block.region());
    assertThat(region.allocate(account, 1)).isNull();
    block.segment().fill((byte) 7);
    assertThat(region.discard(PAGES, PAGES)).isZero();
    assertThat(block.segment().get(JAVA_BYTE, PAGES - 1)).isEqualTo((byte) 7);
    assertThat(block.segment().asSlice(PAGES, PAGES).toArray(JAVA_BYTE)).containsOnly((byte) 0);
    assertThat(block.segment().get(JAVA_BYTE, 2 * PAGES)).isEqualTo((byte) 7);
    block.release();
    assertThat(account.usedBytes()).isZero();
    assertThat(Region.single("test", new Account("none", 1), 2, 64, false)).isNull();
  }

  @Test
  void fullMeansNull() throws IOException {
    try (Region file = Region.openMemoryFile("test", 4 * PAGES)) {
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
  void blocksKnowTheirPlaceAndSoDoTheirSlices() throws IOException {
    try (Region region = Region.openAnonymous("test", 8 * 1024, 1024, false)) {
      Block first = allocate(region, 1024);
      Block second = allocate(region, 1025);
      assertThat(second.region()).isSameAs(region);
      assertThat(second.regionOffset()).isEqualTo(1024);
      assertThat(second.lengthBytes()).isEqualTo(1025);
      assertThat(account.usedBytes()).isEqualTo(3 * 1024);
      assertThat(region.freeAreas()).containsExactly(5 * 1024);
      Block slice = second.slice(100, 10);
      assertThat(slice.region()).isSameAs(region);
      assertThat(slice.regionOffset()).isEqualTo(1124);
      assertThat(slice.fileDescriptor()).isEqualTo(-1);
      first.release();
      second.release();
      assertThat(region.freeAreas()).as("the slice").containsExactly(1024, 5 * 1024);
      slice.release();
      assertThat(region.freeAreas()).as("joined").containsExactly(8 * 1024);
    }
  }

  @Test
  void whatWasUsedBeforeIsZeroAgain() throws IOException {
    try (Region region = Region.openAnonymous("test", 8 * 1024, 1024, false)) {
      Block used = allocate(region, 2048);
      used.segment().fill((byte) 1);
      used.release();
      Block longer = allocate(region, 8 * 1024);
      assertThat(longer.segment().toArray(JAVA_BYTE)).containsOnly(0);
      longer.segment().fill((byte) 2);
      longer.release();
      Block again = allocate(region, 5);
      assertThat(again.segment().toArray(JAVA_BYTE)).containsOnly(0);
      again.release();
    }
  }

  @Test
  void refusesWhatItCannotBe() {
    assertThatThrownBy(() -> Region.openAnonymous("test", 1 << 20, 1000, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Region.openAnonymous("test", 1 << 20, 32, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Region.openAnonymous("test", 0, 64, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Region.openAnonymous("test", Long.MAX_VALUE, 1 << 20, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Region.openMemoryFile("test", -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void saysWhyThereAreNoHugePages() throws IOException {
    try (Region plain = Region.openAnonymous("test", 4 << 20, 4096, false);
        Region small = Region.openAnonymous("test", 1 << 20, 4096, true);
        Region huge = Region.openAnonymous("test", 4 << 20, 4096, true)) {
      assertThat(plain.noHugePages()).contains("not asked");
      assertThat(small.noHugePages()).contains("shorter");
      Block block = allocate(huge, 4 << 20);
      if (huge.noHugePages() == null) {
        assertThat(block.segment().address() % (2 << 20)).isZero();
      } else {
        assertThat(huge.noHugePages()).containsAnyOf("madvise", "transparent_hugepage");
      }
      block.segment().set(JAVA_BYTE, (4 << 20) - 1, (byte) 1);
      block.release();
    }
  }

  @Test
  void nothingIsAllocatedAfterTheEnd() throws IOException {
    Region region = Region.openAnonymous("test", 4096, 64, false);
    Block block = allocate(region, 100);
    region.close();
    region.close();
    assertThat(region.allocate(account, 1)).isNull();
    assertThat(account.usedBytes()).isEqualTo(128);
    block.segment().set(JAVA_BYTE, 99, (byte) 1); // the block keeps the memory
    block.release();
    assertThatThrownBy(block::release).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(block::lease).isInstanceOf(IllegalStateException.class);
    assertThat(account.usedBytes()).isZero();
    assertThat(region.allocate(account, 1)).isNull();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void noTwoBlocksOverlap(boolean memoryFile) throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try (Region region =
        memoryFile
            ? Region.openMemoryFile("test", 64L * PAGES)
            : Region.openAnonymous("test", 64L * PAGES, 4096, false)) {
      List<Block> held = new ArrayList<>();
      for (int i = 0; i < 1500; i++) {
        if (random.nextInt(3) > 0) {
          Block block = region.allocate(account, 1 + random.nextInt(5 * PAGES));
          if (block != null) {
            assertThat(only((byte) 0, block)).as("zeroed, seed %d", seed).isTrue();
            block.segment().fill((byte) i);
            held.add(block);
          }
        } else if (!held.isEmpty()) {
          Block block = held.remove(random.nextInt(held.size()));
          byte first = block.segment().get(JAVA_BYTE, 0);
          assertThat(only(first, block)).as("its own, seed %d", seed).isTrue();
          block.release();
        }
      }
      held.forEach(Block::release);
      assertThat(region.freeAreas()).containsExactly(region.capacityBytes());
      assertThat(account.usedBytes()).isZero();
    }
  }

  private static boolean only(byte value, Block block) {
    byte[] wanted = new byte[Math.toIntExact(block.lengthBytes())];
    Arrays.fill(wanted, value);
    return Arrays.equals(block.segment().toArray(JAVA_BYTE), wanted);
  }

  /// Tests threads that allocate and free at the same time. No memory is allocated twice, all of it
  /// is freed in the end, and a concurrent close takes no memory from a holder.
  @Test
  void manyThreadsShareIt() throws Exception {
    Region region = Region.openAnonymous("test", 1 << 20, 256, false);
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      byte own = (byte) i;
      Thread thread = Thread.ofPlatform().unstarted(() -> takeAndGive(region, own));
      thread.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    threads.get(0).join();
    region.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    assertThat(account.usedBytes()).isZero();
    assertThat(region.freeAreas()).containsExactly(1 << 20);
  }

  private void takeAndGive(Region region, byte own) {
    Random random = new Random(own);
    List<Block> held = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      Block block = held.size() < 32 ? region.allocate(account, 1 + random.nextInt(8192)) : null;
      if (block != null) {
        block.segment().fill(own);
        held.add(block);
      } else if (!held.isEmpty()) {
        Block last = held.remove(random.nextInt(held.size()));
        if (!only(own, last)) {
          throw new AssertionError("another thread wrote into a block of thread " + own);
        }
        last.release();
      }
    }
    held.forEach(Block::release);
  }

  /// Checks bytes in the queues of sockets, which share the pages of the block: they must not
  /// change when the block is freed and its place is reused.
  @Test
  void whatWasSentStaysWhatItWas() throws IOException {
    int bytes = 1 << 20;
    try (Region file = Region.openMemoryFile("test", bytes);
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int type = Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK;
      int socket = Sockets.socket(SocketAddresses.AF_INET, type, 0);
      int _ = Sockets.connect(socket, server.getLocalSocketAddress());
      try (Socket reader = server.accept()) {
        Block block = allocate(file, bytes);
        block.segment().fill((byte) 'a');
        long sent = Files.sendfile(socket, block.fileDescriptor(), block.regionOffset(), bytes);
        assertThat(sent).isGreaterThan(PAGES);
        long place = block.regionOffset();
        block.release();
        Block other = allocate(file, bytes);
        assertThat(other.regionOffset()).isEqualTo(place);
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
    Region file = Region.openMemoryFile("sluice-ends", PAGES);
    Block block = allocate(file, 10);
    file.close();
    assertThat(file.allocate(account, 1)).isNull();
    assertThat(openFiles("sluice-ends")).isEqualTo(1);
    block.segment().set(JAVA_BYTE, 0, (byte) 1);
    block.release();
    assertThat(openFiles("sluice-ends")).isZero();
  }

  private Block allocate(Region file, long bytes) {
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
