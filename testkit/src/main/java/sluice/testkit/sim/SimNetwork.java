package sluice.testkit.sim;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.SysException;

/// The network between endpoints: its listeners, latencies and capacities. Owned by the thread that
/// runs the simulation.
final class SimNetwork {
  private static final int[] PIPE_BYTES = {512, 2_048, 8_192, 65_536};
  private static final int FIRST_EPHEMERAL_PORT = 32_768;
  private static final long SYN_RETRY_NANOS = 1_000_000_000L;

  private final SimScheduler scheduler;
  private final SimRandom random;
  private final SimFaults faults;
  private final SimTrace trace;
  private final Map<Integer, List<SimListener>> listeners = new HashMap<>();
  private int[] pipeBytes = PIPE_BYTES;
  private int nextPort = FIRST_EPHEMERAL_PORT;

  SimNetwork(SimScheduler scheduler, SimRandom random, SimFaults faults, SimTrace trace) {
    this.scheduler = scheduler;
    this.random = random;
    this.faults = faults;
    this.trace = trace;
  }

  SimScheduler scheduler() {
    return scheduler;
  }

  SimRandom random() {
    return random;
  }

  SimFaults faults() {
    return faults;
  }

  /// Sets the capacity, in each direction, of all future connections.
  void pipeBytes(int capacityBytes) {
    pipeBytes = new int[] {capacityBytes};
  }

  long nanos() {
    return scheduler.clock().nanos();
  }

  void trace(String text, long a, long b, long c) {
    trace.add(nanos(), text, a, b, c);
  }

  /// Returns a random time around `nanos`, occasionally much longer.
  long jitter(int nanos) {
    int base = random.between(nanos >> 1, nanos + (nanos >> 1));
    return random.chance(20) ? base * 50L : base;
  }

  /// Binds a listener.
  ///
  /// @return the address with the actual port
  InetSocketAddress listen(SocketAddress wanted, SimListener listener) throws IOException {
    if (!(wanted instanceof InetSocketAddress address)) {
      throw SysException.of(Errno.EAFNOSUPPORT, "socket", wanted);
    }
    int port = address.getPort() == 0 ? nextPort++ : address.getPort();
    List<SimListener> others = listeners.computeIfAbsent(port, key -> new ArrayList<>());
    boolean shared = listener.reusePort() && others.stream().allMatch(SimListener::reusePort);
    if (!others.isEmpty() && !shared) {
      throw SysException.of(Errno.EADDRINUSE, "bind", wanted);
    }
    others.add(listener);
    return new InetSocketAddress(address.getAddress(), port);
  }

  void unlisten(int port, SimListener listener) {
    List<SimListener> list = listeners.get(port);
    if (list != null) {
      list.remove(listener);
    }
  }

  /// Starts a connection. [SimEndpoint#onConnected] reports the result.
  ///
  /// @return the address from which the connection comes
  InetSocketAddress connect(SimEndpoint client, SocketAddress address) {
    int latencyNanos = random.between(2_000, 60_000);
    int port = address instanceof InetSocketAddress inet ? inet.getPort() : -1;
    InetSocketAddress source = sourceAddress();
    scheduler.after(jitter(latencyNanos), () -> synArrived(client, source, port, latencyNanos));
    return source;
  }

  private void synArrived(
      SimEndpoint client, InetSocketAddress source, int port, int latencyNanos) {
    if (client.closed()) {
      return;
    }
    List<SimListener> list = listeners.getOrDefault(port, List.of());
    if (list.isEmpty()) {
      scheduler.after(latencyNanos, () -> client.onConnected(-Errno.ECONNREFUSED));
      return;
    }
    SimEndpoint server = list.get(random.below(list.size())).offer(source);
    if (server == null) { // the backlog is full: the SYN is dropped and sent again
      scheduler.after(SYN_RETRY_NANOS, () -> synArrived(client, source, port, latencyNanos));
      return;
    }
    SimPipe toServer = new SimPipe(pipeBytes[random.below(pipeBytes.length)]);
    SimPipe toClient = new SimPipe(pipeBytes[random.below(pipeBytes.length)]);
    server.join(client, toServer, toClient, latencyNanos);
    client.join(server, toClient, toServer, latencyNanos);
    scheduler.after(latencyNanos, () -> connected(client));
  }

  private static void connected(SimEndpoint client) {
    if (!client.closed()) {
      client.onConnected(0);
    }
  }

  private InetSocketAddress sourceAddress() {
    byte[] ip = {10, 0, (byte) random.below(256), (byte) random.between(1, 254)};
    try {
      return new InetSocketAddress(InetAddress.getByAddress(ip), random.between(1024, 65_535));
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // four bytes are always an address
    }
  }

  /// A listening socket as the network sees it.
  interface SimListener {
    boolean reusePort();

    /// Adds a connection to the accept queue and returns it; null if the queue is full.
    @Nullable SimEndpoint offer(InetSocketAddress source);
  }
}
