package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Errno;
import sluice.testbase.Await;
import sluice.testbase.Slice;

/// A server that is killed and started again, a hundred times at the same place, in the middle of
/// what it sends: the client learns it each time, and nothing stays behind.
@Timeout(600)
final class LocalCrashTest {
  private static final int LONG = VisUnderTest.LONG_MICROS;

  /// What could stay behind: descriptors, mappings, and files of shared memory.
  private record Held(long descriptors, long mappings, long files) {
    static Held now() throws Exception {
      try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"));
          Stream<String> maps = Files.lines(Path.of("/proc/self/maps"));
          Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
        return new Held(
            descriptors.count(),
            maps.filter(line -> line.contains("memfd:sluice-vi")).count(),
            files.filter(file -> file.toString().contains("sluice")).count());
      }
    }

    boolean isNoMoreThan(Held other) {
      return descriptors <= other.descriptors && mappings <= other.mappings && files <= other.files;
    }
  }

  @Test
  void aHundredCrashesLeaveNothing() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    long cycles = Slice.current().share(100);
    assertThat(Errno.name(1)).isEqualTo("EPERM"); // its class is loaded before descriptors count
    try (Nic nic = Nic.open("local")) {
      ViAddress place = VisUnderTest.place(nic);
      cycle(nic, place, random);
      Held before = Held.now();
      for (int i = 0; i < cycles; i++) {
        cycle(nic, place, random);
        Await.until("nothing stays behind", () -> Held.now().isNoMoreThan(before));
      }
      assertThat(Held.now().mappings()).isZero();
    }
  }

  private static void cycle(Nic nic, ViAddress place, Random random) throws Exception {
    assertThat(nic.name()).isEqualTo("local");
    Process server = LocalProcessesTest.start(place, "serve");
    Vi[] connected = new Vi[1];
    Await.until("the server accepts", () -> (connected[0] = connect(place)) != null);
    try (ViBuffer first = new ViBuffer(65_536);
        ViBuffer second = new ViBuffer(65_536);
        Vi vi = connected[0]) { // closed first: gives the buffers back
      vi.recvBufPost(first.register(vi, ViBufferAttributes.READ_WRITE), 0);
      vi.recvBufPost(second.register(vi, ViBufferAttributes.READ_WRITE), 0);
      for (int i = random.nextInt(200); i >= 0; i--) {
        ViBufferTicket got = (ViBufferTicket) vi.recvBufWait(LONG);
        assertThat(got.length()).isEqualTo(40_000);
        vi.recvBufPost(got, 0);
      }
      server.destroyForcibly(); // SIGKILL
      assertThatThrownBy(
              () -> {
                while (true) { // what was complete still comes
                  vi.recvBufPost((ViBufferTicket) vi.recvBufWait(LONG), 0);
                }
              })
          .isInstanceOf(ViException.class)
          .isNotInstanceOf(ViTimeout.class);
    } finally {
      server.destroyForcibly();
      int _ = Await.end(server);
    }
  }

  private static @Nullable Vi connect(ViAddress place) {
    try {
      return new Vi(place, ViAttributes.DEFAULT, null, null, 1);
    } catch (ViException e) {
      return null; // not there yet
    }
  }
}
