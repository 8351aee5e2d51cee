package sluice.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.net.LinkRig;
import sluice.net.port.LinkChange;
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.StackCounters;
import sluice.testbase.Await;

/// Deletes an interface while a loop or a worker waits for its descriptor. From then on the
/// descriptor is readable and in an error state.
@Timeout(120)
class GoneLinkIT {
  /// The most turns allowed for a loop that waits 250 ms for its next tick and is also woken for
  /// other reasons.
  private static final int MOST_TURNS = 40;

  private LinkRig rig;

  @BeforeEach
  void enter() {
    rig = LinkRig.veth();
  }

  @AfterEach
  void leave() {
    if (rig != null) {
      rig.close();
    }
  }

  private StackPorts open(String driver) throws Exception {
    if (driver.equals("xdp")) {
      rig.link(1500, 1);
    }
    return StackPorts.open(StackOption.parse(driver + ":" + LinkRig.OUR_END + ",10.9.0.2/24"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tap", "xdp"})
  void aLoopDoesNotSpin(String driver) throws Exception {
    var engine = Engines.open(Engines.choose(Backend.EPOLL), new EngineConfig(64, 64, 64));
    try (StackPorts ports = open(driver);
        Loop loop = new Loop("gone", engine, LoopConfig.DEFAULT, NanoClock.SYSTEM, Runnable::run)) {
      Datagrams _ = ports.open(loop, new InetSocketAddress(7), (port, datagram, from) -> {});
      StackCounters counters = ports.counters();
      String _ = rig.run("ip link del dev " + LinkRig.OUR_END);
      Await.until(
          "gone",
          () -> {
            int _ = loop.turn(10_000_000L);
            return counters.changes(LinkChange.GONE) == 1;
          });
      int turns = 0;
      long end = System.nanoTime() + 2_000_000_000L;
      while (System.nanoTime() - end < 0) {
        int _ = loop.turn(-1); // the next tick wakes the loop
        turns++;
      }
      assertThat(turns).isLessThan(MOST_TURNS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tap", "xdp"})
  void aWorkerDoesNotSpin(String driver) throws Exception {
    Ipv4Stack stack = open(driver).stack();
    try {
      StackCounters counters = stack.counters();
      try (PacketWorker _ = PacketWorker.start(stack)) {
        String _ = rig.run("ip link del dev " + LinkRig.OUR_END);
        Await.until("gone", () -> counters.changes(LinkChange.GONE) == 1);
      } // the worker ends
    } finally {
      stack.close();
    }
  }
}
