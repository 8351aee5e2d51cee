package sluice.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.loop.datagrams.Datagrams;
import sluice.loop.datagrams.UserDatagramSocket;
import sluice.loop.datagrams.UserDatagrams;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;

/// A loop keeps nothing of a port that was closed, and closes those that were not.
@Timeout(120)
final class ClosedPortsTest {
  private static final int PORTS = 200;
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void ofTheKernelsPorts(Backend backend) throws IOException {
    try (Loop loop = loop(backend)) {
      for (int i = 0; i < PORTS; i++) {
        Datagrams port = Datagrams.open(loop, ANY, (_, _, _) -> {});
        loop.turn(0);
        port.close();
        port.close();
      }
      assertThat(loop.closeHooks()).isZero();
      assertThat(loop.watchSlots()).isEqualTo(1);
    }
  }

  /// The slot of a watch is used again at once, when the kernel may have completed it already.
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "POLL"})
  void aPortHearsNothingOfTheOneBeforeIt(Backend backend) throws IOException {
    AtomicInteger first = new AtomicInteger();
    AtomicInteger second = new AtomicInteger();
    try (Loop loop = loop(backend)) {
      Datagrams one = Datagrams.open(loop, ANY, (_, _, _) -> first.incrementAndGet());
      loop.turn(0);
      try (DatagramSocket client = new DatagramSocket(ANY)) {
        client.send(new DatagramPacket(new byte[1], 1, one.address()));
        one.close();
        Datagrams two = Datagrams.open(loop, ANY, (_, _, _) -> second.incrementAndGet());
        for (int i = 0; i < 5; i++) {
          loop.turn(1_000_000);
        }
        assertThat(second).hasValue(0);
        client.send(new DatagramPacket(new byte[1], 1, two.address()));
        for (int i = 0; i < 10_000 && second.get() == 0; i++) {
          loop.turn(1_000_000);
        }
      }
      assertThat(second).hasValue(1);
      assertThat(first).hasValue(0);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "EPOLL")
  void ofPortsOfAStackOfOurOwn(Backend backend) throws IOException {
    AtomicInteger closed = new AtomicInteger();
    try (Loop loop = loop(backend)) {
      for (int i = 0; i < PORTS; i++) {
        new UserDatagrams(loop, new Counting(closed), (_, _, _) -> {}).close();
      }
      assertThat(closed).hasValue(PORTS);
      assertThat(loop.closeHooks()).isZero();
      UserDatagrams _ = new UserDatagrams(loop, new Counting(closed), (_, _, _) -> {});
      UserDatagrams _ = new UserDatagrams(loop, new Counting(closed), (_, _, _) -> {});
      assertThat(loop.closeHooks()).isEqualTo(2);
    }
    assertThat(closed).hasValue(PORTS + 2);
  }

  private static Loop loop(Backend backend) throws IOException {
    Engines.Choice choice;
    try {
      choice = Engines.choose(backend);
    } catch (IOException e) {
      assumeTrue(false, "no " + backend + " here: " + e.getMessage());
      throw new AssertionError(e);
    }
    return new Loop(
        "ports",
        Engines.open(choice, EngineConfig.DEFAULT.withChunks(16, 1024)),
        LoopRig.CONFIG,
        NanoClock.SYSTEM,
        Runnable::run);
  }

  /// A socket that only counts how often it is closed.
  private record Counting(AtomicInteger closed) implements UserDatagramSocket {
    @Override
    public InetSocketAddress address() {
      return ANY;
    }

    @Override
    public boolean send(MemorySegment memory, long at, int length, int address, int port) {
      return true;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }
}
