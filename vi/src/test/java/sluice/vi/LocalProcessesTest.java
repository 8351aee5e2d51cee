package sluice.vi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.loop.engine.Engine;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.testbase.Await;

/// Shared memory between two processes, one of which may be killed.
@Timeout(240)
final class LocalProcessesTest {
  private static final int LONG = VisUnderTest.LONG_MICROS;

  /// Starts [LocalPeer] on the device of the place.
  static Process start(ViAddress place, String what) throws Exception {
    String path =
        Stream.of(Vi.class, LocalPeer.class, Block.class, Errno.class, Engine.class)
            .map(type -> type.getProtectionDomain().getCodeSource().getLocation().getPath())
            .distinct()
            .collect(Collectors.joining(":"));
    // Where Vi was patched, its classes and the tests are in two directories.
    String tests = path.replace("/classes", "/test-classes");
    Process peer =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-cp",
                path + ":" + tests,
                LocalPeer.class.getName(),
                place.place(),
                what,
                place.nic().name())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .start();
    Await.limit(peer);
    return peer;
  }

  private static Vi accept(ViAddress place, Process[] peer, String what) throws Exception {
    try (ViServer server = new ViServer(place, 1)) {
      peer[0] = start(place, what);
      return server.accept(ViAttributes.DEFAULT, LONG);
    }
  }

  private static long mappings() throws Exception {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains("memfd:sluice-vi")).count();
    }
  }

  private static long descriptors() throws Exception {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "ring"})
  void messagesGoBetweenProcesses(String device) throws Exception {
    Process[] peer = new Process[1];
    try (Nic nic = Nic.open(device);
        Vi vi = accept(VisUnderTest.place(nic), peer, "echo")) {
      VisUnderTest.exchangeWithEcho(vi, peer[0], 1, 48, 49, 5000, 65_536, 3);
    }
  }

  @Test
  void aKilledPeerFailsWhatIsPostedAndLeavesNothing() throws Exception {
    try (Nic nic = Nic.open("local")) {
      long mappings = mappings();
      long descriptors = descriptors();
      for (int round = 0; round < 3; round++) {
        Process[] peer = new Process[1];
        Vi vi = accept(VisUnderTest.place(nic), peer, round == 0 ? "echo" : "flood");
        assertThat(mappings()).isGreaterThan(mappings);
        ViBuffer buffer = new ViBuffer(65_536);
        ViBuffer spare = new ViBuffer(65_536);
        ViBufferTicket in = buffer.register(vi, ViBufferAttributes.READ_WRITE);
        ViBufferTicket last = spare.register(vi, ViBufferAttributes.READ_WRITE);
        for (int i = 0; round > 0 && i < 100; i++) {
          vi.recvBufPost(in, 0);
          assertThat(vi.recvBufWait(LONG).length()).isEqualTo(40_000);
        }
        vi.recvBufPost(in, 0);
        vi.recvBufPost(last, 0);
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
            .isInstanceOf(ViPeerLost.class)
            .hasMessageContaining("ended");
        assertThat(in.isPosted() || last.isPosted()).isFalse();
        assertThat(in.failure() != null || last.failure() != null).isTrue();
        assertThatThrownBy(() -> vi.send(new byte[1], 0, 1)).isInstanceOf(ViException.class);
        vi.close();
        buffer.close();
        spare.close();
        assertThat(mappings()).isEqualTo(mappings);
      }
      Await.until("all descriptors closed", () -> descriptors() <= descriptors);
    }
  }

  @Test
  void aKilledPeerAtTheOtherEndOfTcpFailsWhatIsPosted() throws Exception {
    Process[] peer = new Process[1];
    try (Nic nic = Nic.open("ring");
        Vi vi = accept(VisUnderTest.place(nic), peer, "flood");
        ViBuffer buffer = new ViBuffer(65_536)) {
      ViBufferTicket in = buffer.register(vi, ViBufferAttributes.READ_WRITE);
      for (int i = 0; i < 100; i++) {
        vi.recvBufPost(in, 0);
        assertThat(vi.recvBufWait(LONG).length()).isEqualTo(40_000);
      }
      peer[0].destroyForcibly();
      int _ = Await.end(peer[0]);
      assertThatThrownBy(
              () -> {
                while (true) { // what had left it still comes
                  vi.recvBufPost(in, 0);
                  ViTicket _ = vi.recvBufWait(LONG);
                }
              })
          .isInstanceOf(ViException.class)
          .isInstanceOf(ViPeerLost.class);
      assertThat(in.isPosted()).isFalse();
      assertThatThrownBy(() -> vi.send(new byte[1], 0, 1)).isInstanceOf(ViException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "ring"})
  void waitingVirtualThreadsFreeTheirCarriers(String device) throws Exception {
    int count = 4 * Runtime.getRuntime().availableProcessors() + 20;
    try (Nic nic = Nic.open(device)) {
      ViAttributes attributes =
          ViAttributes.DEFAULT.withWaiting(WaitMode.PARK).withRingBytes(1 << 14);
      ViAddress place = VisUnderTest.place(nic);
      Vi[] servers = new Vi[count];
      Vi[] clients = new Vi[count];
      Thread[] threads = new Thread[count];
      var waiting = new java.util.concurrent.atomic.AtomicInteger();
      var got = new java.util.concurrent.atomic.AtomicInteger();
      try (ViServer server = new ViServer(place, 1)) {
        for (int i = 0; i < count; i++) {
          int index = i;
          threads[i] =
              Thread.ofVirtual()
                  .start(() -> {
                    try {
                      Vi vi = new Vi(place, attributes, null, null, 1);
                      clients[index] = vi;
                      int _ = waiting.incrementAndGet();
                      got.addAndGet(vi.recv(LONG).length);
                    } catch (ViException e) {
                      throw new IllegalStateException(e);
                    }
                  });
          servers[i] = server.accept(attributes, LONG);
        }
      }
      Await.until("all wait at one time", () -> waiting.get() == count);
      for (int i = count - 1; i >= 0; i--) {
        servers[i].send(new byte[1], 0, 1, LONG);
      }
      for (Thread thread : threads) {
        Await.end(thread);
      }
      assertThat(got).hasValue(count);
      for (int i = 0; i < count; i++) {
        servers[i].close();
        clients[i].close();
      }
    }
  }
}
