package sluice.bench.packets;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.net.Ipv4Prefix;
import sluice.net.StackConfig;
import sluice.net.stack.Ipv4Stack;
import sluice.net.stack.UdpSocket;
import sluice.net.xdp.XdpConfig;
import sluice.net.xdp.XdpPort;
import sluice.sys.PollFds;

/// An end on Sluice's stack over AF_XDP. Used by one thread.
final class XdpEnd implements PacketEnd {
  private static final Ipv4Prefix SERVER = Ipv4Prefix.parse("10.11.0.11/24");
  private static final Ipv4Prefix CLIENT = Ipv4Prefix.parse("10.11.0.12/24");

  private final Ipv4Stack stack;
  private final UdpSocket socket;
  private final MemorySegment message = Arena.ofAuto().allocate(1 << 16);
  private final @Nullable PollFds poll;
  private long came;

  private XdpEnd(Ipv4Stack stack, boolean waits) throws IOException {
    this.stack = stack;
    this.socket = stack.bind(PORT, _ -> {});
    this.poll = waits ? new PollFds(1) : null;
    if (poll != null) {
      poll.set(0, stack.port().descriptor(), PollFds.POLLIN);
    }
  }

  static XdpEnd open(boolean client, boolean waits) throws IOException {
    Ipv4Prefix own = client ? CLIENT : SERVER;
    String device = client ? VethPair.CLIENT_LINK : VethPair.SERVER_LINK;
    XdpPort port = XdpPort.open(new XdpConfig(device, own.address(), true, 1));
    return new XdpEnd(
        new Ipv4Stack(port, StackConfig.of(own), System::nanoTime, System.nanoTime()), waits);
  }

  @Override
  public void echo(BooleanSupplier ended) {
    socket.receiver((memory, at, length, from, port) -> {
      boolean _ = socket.send(memory, at, length, from, port);
    });
    while (!ended.getAsBoolean()) {
      handle();
    }
  }

  /// Handles received packets; without any, an end of the waiting kind sleeps.
  private void handle() {
    if (stack.poll() == 0 && poll != null) {
      int _ = poll.poll(1, WAIT_MILLIS * 1_000_000L);
    }
  }

  @Override
  public long exchange(int bytes, int window, long nanos, RoundTrips results) {
    socket.receiver((memory, at, length, from, port) -> came++);
    came = 0;
    long sent = 0;
    long start = System.nanoTime();
    long last = start;
    while (last - start < nanos) {
      while (sent - came < window) {
        sent += socket.send(message, 64, bytes, SERVER.address(), PORT) ? 1 : 0;
      }
      stack.flush();
      long before = came;
      long begin = System.nanoTime();
      for (int turn = 1; came == before && !isLost(turn, begin); turn++) {
        handle();
      }
      long now = System.nanoTime();
      if (came == before) {
        stack.tick();
        sent = came;
      } else if (window == 1) {
        results.add(now - last);
      }
      last = now;
    }
    return came;
  }

  @Override
  public boolean waits() {
    return poll != null;
  }

  @Override
  public void close() {
    stack.close();
    if (poll != null) {
      poll.close();
    }
  }
}
