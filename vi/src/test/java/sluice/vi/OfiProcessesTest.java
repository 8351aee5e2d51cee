package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testbase.Patience;

/// Providers of libfabric between two processes, one of which may be killed.
@Timeout(240)
final class OfiProcessesTest {
  private static final int LONG = VisUnderTest.LONG_MICROS;

  private static Nic open(String device) throws ViException {
    String why = Nic.skipped().get(device);
    assumeTrue(why != null && why.isEmpty(), device + ": " + why);
    return Nic.open(device);
  }

  private static Vi accept(Nic nic, Process[] peer, String what) throws Exception {
    ViAddress place = VisUnderTest.place(nic);
    try (ViServer server = new ViServer(place, 1)) {
      peer[0] = LocalProcessesTest.start(place, what);
      return server.accept(ViAttributes.DEFAULT, LONG);
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
        Vi vi = accept(nic, peer, "echo")) {
      Patience.until("no file of the connection", () -> sharedFiles(peer[0]) == 0);
      for (int length : new int[] {1, 48, 5000, 65_536, 3}) {
        byte[] sent = VisUnderTest.pattern(length, length);
        vi.send(sent, 0, length, LONG);
        assertThat(vi.recv(LONG)).isEqualTo(sent);
      }
      vi.send(new byte[0], 0, 0, LONG);
      assertThat(vi.recv(LONG)).isEmpty();
      assertThat(Patience.end(peer[0])).isZero();
      assertThatThrownBy(() -> vi.recv(LONG))
          .isInstanceOf(ViException.class)
          .hasMessageContaining("closed the connection");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ofi-shm", "ofi-tcp"})
  void aKilledPeerFailsWhatIsPostedAndLeavesNothing(String device) throws Exception {
    try (Nic nic = open(device)) {
      Process[] peer = new Process[1];
      Vi vi = accept(nic, peer, "flood");
      int descriptors = files("/proc/self/fd").size();
      ViBuffer buffer = new ViBuffer(65_536);
      ViBufferTicket in = buffer.register(vi, ViBufferAttributes.READ_WRITE);
      for (int i = 0; i < 100; i++) {
        vi.recvBufPost(in, 0);
        assertThat(vi.recvBufWait(LONG).length()).isEqualTo(40_000);
      }
      vi.recvBufPost(in, 0);
      peer[0].destroyForcibly();
      int _ = Patience.end(peer[0]);
      assertThatThrownBy(
              () -> {
                while (true) { // what was complete before the end still comes
                  ViBufferTicket got = (ViBufferTicket) vi.recvBufWait(LONG);
                  vi.recvBufPost(got, 0);
                }
              })
          .isInstanceOf(ViException.class)
          .isNotInstanceOf(ViTimeout.class);
      assertThat(in.isPosted()).isFalse();
      assertThat(in.failure()).isNotNull();
      assertThatThrownBy(() -> vi.send(new byte[1], 0, 1)).isInstanceOf(ViException.class);
      vi.close();
      buffer.close();
      assertThat(sharedFiles(peer[0])).isZero();
      assertThat(files("/proc/self/fd").size()).isLessThan(descriptors);
    }
  }
}
