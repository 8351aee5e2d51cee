package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.Connection;
import sluice.loop.Loop;
import sluice.loop.LoopCounters;
import sluice.loop.Protocol;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.server.Server;
import sluice.loop.server.ServerConfig;
import sluice.memory.View;
import sluice.sys.EventFd;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;
import sluice.testbase.Await;

/// Tests of a loop whose process has no descriptors left, on every engine: each client is told at
/// once, the loop does not spin, and it continues when descriptors are free again.
@Timeout(240)
class DescriptorShortageTest {
  private static final byte SERVED = 's';
  private static final byte REFUSED = 'r';
  private static final int CLIENTS = 16;

  /// The maximum number of turns in half a second without a client; five are for retries.
  private static final long MOST_TURNS = 60;

  /// Reports at once if there was a place; drops its input.
  private static final class Saying implements Protocol {
    @Override
    public void opened(Connection connection) {
      connection.output().put(new byte[] {SERVED});
    }

    @Override
    public void overloaded(Connection connection) {
      connection.output().put(new byte[] {REFUSED});
      connection.close();
    }

    @Override
    public int received(Connection connection, View input) {
      return input.length();
    }
  }

  @ParameterizedTest
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
  void clientsAreRefusedUntilDescriptorsAreBack(Backend backend) throws Exception {
    KernelEngines.open(backend, EngineConfig.DEFAULT).close();
    LoadedClasses.withAllOf(LoadedClasses.class);
    assertThat(ZoneId.systemDefault().getRules()).isNotNull(); // so that a warning can be dated
    long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
    List<EventFd> hogs = new ArrayList<>();
    List<SocketChannel> clients = new ArrayList<>();
    ServerConfig config = ServerConfig.onLoopback("short", 0).withBackend(backend);
    try {
      // An armed accept of io_uring keeps the limit it was armed under.
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, highest() + 200);
      try (Server server = Server.start(config, loop -> new Saying())) {
        for (int i = 0; i < CLIENTS; i++) {
          clients.add(SocketChannel.open()); // has its descriptor from here on
        }
        refuseClients(server, clients, hogs);
        hogs.forEach(EventFd::close);
        Await.until("a client that is served", () -> servesAgain(address(server)));
        for (SocketChannel each : clients) {
          each.close();
        }
        assertThat(server.drain(Duration.ofSeconds(60))).isTrue();
      }
    } finally {
      hogs.forEach(EventFd::close);
      ResourceLimit.soft(ResourceLimit.RLIMIT_NOFILE, limit);
    }
  }

  private static void refuseClients(Server server, List<SocketChannel> clients, List<EventFd> hogs)
      throws Exception {
    SocketAddress address = address(server);
    assertThat(servesAgain(address)).isTrue(); // what this test runs through is loaded by now
    Loop loop = server.loops().getFirst();
    Await.until("the end of the first", () -> loop.connectionCount() == 0);
    LoopCounters counters = loop.counters();
    int refused = 0;
    for (SocketChannel each : clients) {
      useUp(hogs); // a descriptor of another thread may have come back
      each.connect(address);
      try {
        if (read(each) == REFUSED) {
          refused++;
        }
      } catch (SocketTimeoutException e) {
        throw new AssertionError(refused + " were refused, then none is told: " + state(loop), e);
      }
    }
    assertThat(refused).isGreaterThan(CLIENTS / 2);
    assertThat(counters.descriptorRefusals()).isGreaterThanOrEqualTo(refused);
    assertThat(fewestTurns(counters)).isLessThan(MOST_TURNS);
  }

  private static String state(Loop loop) {
    LoopCounters counters = loop.counters();
    Thread thread = loop.ownerThread();
    String stack = thread == null ? "no thread" : Arrays.toString(thread.getStackTrace());
    return "connections "
        + loop.connectionCount()
        + ", turns "
        + counters.turns()
        + ", descriptor refusals "
        + counters.descriptorRefusals()
        + ", task failures "
        + counters.taskFailures()
        + ", at "
        + stack;
  }

  private static SocketAddress address(Server server) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }

  private static boolean servesAgain(SocketAddress address) throws IOException {
    try (SocketChannel client = SocketChannel.open(address)) {
      return read(client) == SERVED;
    }
  }

  /// Returns the minimum of several measurements, because other threads of this process may free
  /// descriptors.
  private static long fewestTurns(LoopCounters counters) throws InterruptedException {
    long fewest = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      long before = counters.turns();
      Thread.sleep(500);
      fewest = Math.min(fewest, counters.turns() - before);
    }
    return fewest;
  }

  /// Returns the first byte that a client receives; the client reads on until the connection ends.
  private static byte read(SocketChannel client) throws IOException {
    client.socket().setSoTimeout(60_000);
    int heard = client.socket().getInputStream().read();
    assertThat(heard).isNotNegative();
    return (byte) heard;
  }

  private static long highest() throws SysException {
    try (EventFd next = EventFd.open(true)) {
      return next.fd();
    }
  }

  private static void useUp(List<EventFd> hogs) {
    try {
      while (hogs.size() < 1000) {
        hogs.add(EventFd.open(true));
      }
    } catch (SysException e) {
      assertThat(e.errno()).isEqualTo(sluice.sys.Errno.EMFILE);
    }
  }
}
