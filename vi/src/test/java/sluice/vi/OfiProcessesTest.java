package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.sys.threads.Affinity;
import sluice.testbase.Await;
import sluice.testbase.CpuTime;

/// Providers of libfabric between two processes, one of which may be killed.
@Timeout(240)
final class OfiProcessesTest {
  private static final int LONG = VisUnderTest.LONG_MICROS;

  private static Nic open(String device) throws ViException {
    String why = Nic.skipped().get(device);
    assumeTrue(why != null && why.isEmpty(), device + ": " + why);
    return Nic.open(device);
  }

  private static Vi accept(Nic nic, Process[] peer, String what, ViAttributes attributes)
      throws Exception {
    ViAddress place = VisUnderTest.place(nic);
    try (ViServer server = new ViServer(place, 1)) {
      peer[0] = LocalProcessesTest.start(place, what);
      return server.accept(attributes, LONG);
    }
  }

  private static Set<Path> files(String directory) throws Exception {
    try (Stream<Path> all = Files.list(Path.of(directory))) {
      return all.collect(Collectors.toSet());
    }
  }

  /// Files of the provider `shm` that these processes made: their names begin with a number.
  private static long sharedFiles(Process peer) throws Exception {
    String own = ProcessHandle.current().pid() + ":";
    String others = peer.pid() + ":";
    return files("/dev/shm").stream()
        .map(file -> String.valueOf(file.getFileName()))
        .filter(name -> name.startsWith(own) || name.startsWith(others))
        .count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ofi-shm", "ofi-tcp"})
  void messagesGoBetweenProcesses(String device) throws Exception {
    Process[] peer = new Process[1];
    try (Nic nic = open(device);
        Vi vi = accept(nic, peer, "echo", ViAttributes.DEFAULT)) {
      Await.until("no file of the connection", () -> sharedFiles(peer[0]) == 0);
      VisUnderTest.exchangeWithEcho(vi, peer[0], 1, 48, 5000, 65_536, 3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ofi-shm", "ofi-tcp"})
  void aKilledPeerFailsWhatIsPostedAndLeavesNothing(String device) throws Exception {
    try (Nic nic = open(device)) {
      Process[] peer = new Process[1];
      Vi vi = accept(nic, peer, "flood", ViAttributes.DEFAULT);
      int descriptors = files("/proc/self/fd").size();
      ViBuffer buffer = new ViBuffer(65_536);
      ViBufferTicket in = buffer.register(vi, ViBufferAttributes.READ_WRITE);
      for (int i = 0; i < 100; i++) {
        vi.recvBufPost(in, 0);
        assertThat(vi.recvBufWait(LONG).length()).isEqualTo(40_000);
      }
      vi.recvBufPost(in, 0);
      peer[0].destroyForcibly();
      int _ = Await.end(peer[0]);
      assertThatThrownBy(
              () -> {
                while (true) { // what was complete before the end still comes
                  ViBufferTicket got = (ViBufferTicket) vi.recvBufWait(LONG);
                  vi.recvBufPost(got, 0);
                }
              })
          .isInstanceOf(ViException.class)
          .isInstanceOf(ViPeerLost.class);
      assertThat(in.isPosted()).isFalse();
      assertThat(in.failure()).isNotNull();
      assertThatThrownBy(() -> vi.send(new byte[1], 0, 1)).isInstanceOf(ViException.class);
      vi.close();
      buffer.close();
      assertThat(sharedFiles(peer[0])).isZero();
      assertThat(files("/proc/self/fd").size()).isLessThan(descriptors);
    }
  }

  /// Two that spin on one processor let each other run long before the scheduler makes them: its
  /// slices are some 4 ms, which would be used up otherwise.
  @ParameterizedTest
  @ValueSource(strings = {"ofi-shm", "ofi-tcp"})
  void spinningEndsShareAProcessor(String device) throws Exception {
    try (Nic nic = open(device);
        ExecutorService thread = Executors.newSingleThreadExecutor()) {
      long best = thread.submit(() -> bestMedianOnOneProcessor(nic)).get();
      assertThat(best).isLessThan(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  /// Processor time of a round trip, which other processes on it do not add to: the median of 20,
  /// the least of ten.
  private static long bestMedianOnOneProcessor(Nic nic) throws Exception {
    int processor = 0;
    while (Affinity.bind(processor) < 0) {
      processor++;
      assertThat(processor).isLessThan(1024);
    }
    Process[] peer = new Process[1]; // inherits the processor of this thread
    try (Vi vi = accept(nic, peer, "spin", ViAttributes.DEFAULT.withWaiting(WaitMode.SPIN))) {
      long best = Long.MAX_VALUE;
      long[] nanos = new long[20];
      for (int batch = 0; batch < 10; batch++) {
        for (int i = 0; i < nanos.length; i++) {
          long begin = CpuTime.ofThisThread();
          vi.send(new byte[4096], 0, 4096, LONG);
          assertThat(vi.recv(LONG)).hasSize(4096);
          nanos[i] = CpuTime.ofThisThread() - begin;
        }
        Arrays.sort(nanos);
        best = Math.min(best, nanos[nanos.length / 2]);
      }
      vi.send(new byte[0], 0, 0, LONG);
      assertThat(vi.recv(LONG)).isEmpty();
      assertThat(Await.end(peer[0])).isZero();
      return best;
    }
  }
}
