package sluice.vi.ofi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;
import sluice.vi.device.Failure;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Clients that say nothing, greet late, or stop in the middle hold no other client up.
@Timeout(240)
final class SlowClientsTest {
  private static final PortSpec SPEC = new PortSpec(1, false, false, 8, 8, 1000, 1 << 18);
  private static final String PLACE = "slow-" + ProcessHandle.current().pid();
  private static final String PROVIDER = "shm";

  /// Less than what some of them would take together, one after the other.
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final OfiDevice device = new OfiDevice(PROVIDER);
  private final List<ControlSocket> sockets = new ArrayList<>();
  private final List<PortMaker> makers = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @BeforeEach
  void check() {
    String why = new OfiProvider().why("ofi-shm");
    assumeTrue(why.isEmpty(), why);
  }

  @AfterEach
  void close() throws Exception {
    sockets.forEach(ControlSocket::close);
    makers.forEach(PortMaker::abandon);
    threads.shutdownNow();
    assertThat(sharedFiles()).as("files of endpoints").isEmpty();
  }

  /// Of this process, made by the provider `shm`.
  private static List<String> sharedFiles() throws IOException {
    String own = ProcessHandle.current().pid() + ":";
    try (Stream<Path> all = Files.list(Path.of("/dev/shm"))) {
      return all.map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.startsWith(own))
          .toList();
    }
  }

  private ControlSocket reach() throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    ControlSocket socket =
        ControlSocket.connect(ControlSocket.name(PROVIDER, PLACE, 1), PLACE, 1, end);
    sockets.add(socket);
    return socket;
  }

  private Greeting hello(PortMaker maker) throws Exception {
    makers.add(maker);
    return maker.greeting(Greeting.HELLO, SPEC.transferBytes());
  }

  private void connects(Listener listener) throws Exception {
    Future<Port> client = threads.submit(() -> device.connect(PLACE, SPEC, PATIENCE_NANOS));
    Port server = listener.accept(SPEC, PATIENCE_NANOS);
    if (server == null) {
      throw new AssertionError("no client came");
    }
    Port connected = client.get(Await.SECONDS, TimeUnit.SECONDS);
    connected.end(Failure.CLOSED);
    server.end(Failure.CLOSED);
  }

  @Test
  void silentClientsHoldNoOtherUp() throws Exception {
    try (Listener listener = device.listen(PLACE, 1)) {
      for (int i = 0; i < 30; i++) {
        ControlSocket _ = reach();
      }
      connects(listener);
    }
  }

  @Test
  void clientsThatStopAfterTheirGreetingHoldNoOtherUp() throws Exception {
    try (Listener listener = device.listen(PLACE, 1)) {
      for (int i = 0; i < 4; i++) {
        Greeting greeting = hello(new PortMaker(PROVIDER, SPEC));
        reach().say(greeting);
      }
      connects(listener);
    }
  }

  /// As when its libfabric is slow to load, or its machine is.
  @Test
  void aClientThatGreetsLateIsAccepted() throws Exception {
    try (Listener listener = device.listen(PLACE, 1)) {
      Future<Port> accepted = threads.submit(() -> listener.accept(SPEC, PATIENCE_NANOS));
      ControlSocket socket = reach();
      Thread.sleep(1500);
      PortMaker maker = new PortMaker(PROVIDER, SPEC);
      socket.say(hello(maker));
      Greeting answer = socket.hear(Greeting.ACCEPTED);
      Await await = new Await();
      while (answer == null) {
        await.pause("the answer");
        answer = socket.hear(Greeting.ACCEPTED);
      }
      maker.begin(socket, answer, 1000, true, System.nanoTime() + PATIENCE_NANOS);
      Port port = maker.advance();
      while (port == null) {
        await.pause("the first messages");
        port = maker.advance();
      }
      makers.clear();
      sockets.clear();
      Port server = accepted.get(Await.SECONDS, TimeUnit.SECONDS);
      assertThat(server.spec().transferBytes()).isEqualTo(1000);
      port.end(Failure.CLOSED);
      server.end(Failure.CLOSED);
    }
  }

  /// The next accept goes on with a client that the last one had no time for.
  @Test
  void anAcceptGoesOnWhereTheLastOneEnded() throws Exception {
    try (Listener listener = device.listen(PLACE, 1)) {
      Future<Port> client = threads.submit(() -> device.connect(PLACE, SPEC, PATIENCE_NANOS));
      Port server = listener.accept(SPEC, 0);
      Await await = new Await();
      while (server == null) {
        await.pause("the client");
        server = listener.accept(SPEC, 0);
      }
      client.get(Await.SECONDS, TimeUnit.SECONDS).end(Failure.CLOSED);
      server.end(Failure.CLOSED);
    }
  }
}
