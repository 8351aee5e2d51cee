package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Await;

@Timeout(120)
class MappingTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anonymousMemoryIsZeroAndBounded(boolean populate) throws Exception {
    try (Mapping mapping = Mapping.anonymous(10_000, populate)) {
      MemorySegment segment = mapping.segment();
      assertThat(segment.byteSize()).isEqualTo(10_000);
      assertThat(segment.get(JAVA_LONG, 9992)).isZero();
      segment.set(JAVA_LONG, 9992, 7);
      assertThat(segment.get(JAVA_LONG, 9992)).isEqualTo(7);
      assertThatThrownBy(() -> segment.get(JAVA_BYTE, 10_000))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void hugePagesAreAdvice() throws Exception {
    try (Mapping mapping = Mapping.anonymous(4 << 20, false)) {
      // EINVAL: a kernel without huge pages
      assertThat(mapping.adviseHugePages()).isIn(0, -Errno.EINVAL);
      mapping.segment().set(JAVA_LONG, 0, 7);
      assertThat(mapping.segment().get(JAVA_LONG, 0)).isEqualTo(7);
    }
  }

  @Test
  void discardedPagesReadAsZeros() throws Exception {
    long part = 64 << 10;
    try (Mapping mapping = Mapping.anonymous(3 * part, false)) {
      for (int i = 0; i < 3; i++) {
        mapping.segment().set(JAVA_LONG, i * part, 7);
      }
      assertThat(mapping.discard(part, part)).isZero();
      assertThat(mapping.segment().get(JAVA_LONG, 0)).isEqualTo(7);
      assertThat(mapping.segment().get(JAVA_LONG, part)).isZero();
      assertThat(mapping.segment().get(JAVA_LONG, 2 * part)).isEqualTo(7);
      assertThatThrownBy(() -> mapping.discard(2 * part, 2 * part))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void accessAfterCloseIsRefused() throws Exception {
    Mapping mapping = Mapping.anonymous(4096, false);
    MemorySegment segment = mapping.segment();
    mapping.close();
    mapping.close();
    assertThatThrownBy(() -> segment.get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> Files.read(0, segment, 0, 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void closingIsRefusedWhileACallUsesTheMemory() throws Exception {
    int[] pipe = new int[2];
    assertThat(Files.pipe2(0, pipe)).isZero();
    Mapping mapping = Mapping.anonymous(4096, true);
    Thread reader = new Thread(() -> Files.read(pipe[0], mapping.segment(), 0, 100));
    reader.start();
    awaitCallWith(mapping.segment().address());
    assertThatThrownBy(mapping::close).isInstanceOf(IllegalStateException.class);
    Files.close(pipe[1]);
    reader.join();
    mapping.close();
    Files.close(pipe[0]);
  }

  /// Waits until a thread of this process sleeps in a system call that has the address as an
  /// argument.
  private static void awaitCallWith(long address) throws Exception {
    String argument = "0x" + Long.toHexString(address);
    Await await = new Await();
    while (true) {
      await.check("a system call with " + argument);
      try (Stream<Path> threads = java.nio.file.Files.list(Path.of("/proc/self/task"))) {
        for (Path thread : threads.toList()) {
          String call = java.nio.file.Files.readString(thread.resolve("syscall"));
          if (List.of(call.strip().split(" ")).contains(argument)) {
            return;
          }
        }
      } catch (NoSuchFileException ended) {
        continue; // a thread that has ended in the meantime
      } catch (IOException ended) {
        assertThat(ended).hasMessageContaining("No such process"); // it ended while it was read
        continue;
      }
      Thread.sleep(1);
    }
  }

  @Test
  void sharedMappingsSeeEachOther() throws Exception {
    int fd = (int) SysException.check(Files.memfd("sluice-test"), "memfd_create");
    long page = 65_536; // the largest page size there is
    assertThat(Files.ftruncate(fd, 2 * page)).isZero();
    try (Mapping writer = Mapping.shared(fd, 0, 2 * page, true);
        Mapping reader = Mapping.shared(fd, page, page, false)) {
      writer.segment().set(JAVA_LONG, page, 99);
      assertThat(reader.segment().get(JAVA_LONG, 0)).isEqualTo(99);
      assertThatThrownBy(() -> reader.segment().set(JAVA_LONG, 0, 1))
          .isInstanceOf(IllegalArgumentException.class);
      int seals = Files.F_SEAL_SHRINK | Files.F_SEAL_GROW | Files.F_SEAL_SEAL;
      assertThat(Files.addSeals(fd, seals)).isZero();
      assertThat(Files.ftruncate(fd, 0)).isEqualTo(-Errno.EPERM);
    } finally {
      Files.close(fd);
    }
  }

  @Test
  void anImpossibleMappingExplainsItself() {
    assertThatThrownBy(() -> Mapping.anonymous(1L << 60, false))
        .isInstanceOf(SysException.class)
        .hasMessageContaining("ENOMEM")
        .hasMessageContaining("Fix: ");
    assertThatThrownBy(() -> Mapping.shared(-1, 0, 1, false))
        .isInstanceOf(SysException.class)
        .hasMessageContaining("EBADF");
  }

  @Test
  void theCHeapIsZeroed() {
    MemorySegment block = NativeMemory.allocate(64);
    assertThat(block.byteSize()).isEqualTo(64);
    assertThat(block.get(JAVA_LONG, 56)).isZero();
    NativeMemory.free(block);
    assertThatThrownBy(() -> NativeMemory.allocate(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
