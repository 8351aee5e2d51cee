package sluice.vi.xdp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.datagrams.DatagramPeer;
import sluice.loop.datagrams.DatagramPorts;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.sys.threads.ThreadEnds;
import sluice.vi.device.Answers;
import sluice.vi.device.Device;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;
import sluice.vi.device.HostPort;
import sluice.vi.device.Listener;
import sluice.vi.device.Orders;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;

/// Connections over datagrams, between hosts. Any thread may call; one thread of its own turns a
/// loop, which runs the network stack and all connections.
///
/// An address is `HOST:PORT` of IPv4. Datagrams are neither encrypted nor signed: the network is
/// trusted as far as it can read and write what passes; a stranger would need the 128 random bits
/// of a connection.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `stopped` | the closing thread, the device's | volatile | volatile |
/// | `orders` | see [Orders] | | |
/// | the rest | the device's thread | plain | plain |
final class XdpDevice implements Device {
  private static final System.Logger LOGGER = System.getLogger("sluice.vi");
  private static final long HASTY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /// Peers may take this long to answer the farewell when the device is closed.
  private static final long FAREWELL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /// Opens ports of UDP, and is closed behind the device.
  interface Network extends AutoCloseable {
    DatagramPorts ports();

    /// Returns whether it can send to a host that has sent nothing.
    boolean begins();

    /// Returns the longest datagram that is not cut, without the headers of IP and UDP.
    int datagramBytes();

    @Override
    void close();
  }

  private final Network network;
  private final int datagramBytes;
  private final Loop loop;
  private final Thread thread;
  private final Map<InetSocketAddress, SharedPort> listening = new HashMap<>();
  private @Nullable SharedPort connecting;
  private final Orders orders = new Orders();
  private volatile boolean stopped;

  XdpDevice(Network network) throws IOException {
    this.network = network;
    datagramBytes = Math.clamp(network.datagramBytes(), Datagram.LEAST_BYTES, Datagram.MOST_BYTES);
    var engine = Engines.open(Engines.choose(Backend.EPOLL), new EngineConfig(64, 64, 64));
    loop = new Loop("sluice-vi-xdp", engine, LoopConfig.DEFAULT, NanoClock.SYSTEM, Runnable::run);
    thread = Thread.ofPlatform().daemon().name("sluice-vi-xdp").unstarted(this::run);
    thread.start();
  }

  int datagramBytes() {
    return datagramBytes;
  }

  // ---- any thread ----------------------------------------------------------------------------

  /// Has the device's thread do something once.
  ///
  /// @return false when the device has been closed
  boolean order(Runnable order) {
    if (!orders.add(order)) {
      return false;
    }
    loop.execute(orders::run);
    return true;
  }

  /// Something that may fail, and completes a future if it does not.
  interface Work {
    void run() throws IOException;
  }

  /// Has the device's thread do something that answers.
  void run(CompletableFuture<?> answer, Work work) throws DeviceException {
    boolean ordered =
        order(() -> {
          try {
            work.run();
          } catch (IOException | RuntimeException e) {
            boolean _ = answer.completeExceptionally(e);
          }
        });
    if (!ordered) {
      throw DeviceException.deviceClosed();
    }
  }

  private static InetSocketAddress address(String place) throws IOException {
    InetSocketAddress address = HostPort.parse(place);
    if (address.getAddress() instanceof Inet4Address) {
      return address;
    }
    throw new DeviceException(
        Fault.MISCONFIGURED, "the network stack speaks IPv4: " + place + ". Fix: such an address");
  }

  @Override
  public Listener listen(String place, int tag) throws IOException {
    InetSocketAddress address = address(place);
    CompletableFuture<Listener> made = new CompletableFuture<>();
    run(made, () -> made.complete(listen(address, place, tag)));
    return Answers.await(made, "the device");
  }

  @Override
  public Port connect(String place, PortSpec spec, long timeoutNanos) throws IOException {
    InetSocketAddress address = address(place);
    CompletableFuture<Connecting> begun = new CompletableFuture<>();
    run(begun, () -> begun.complete(begin(address, place, spec, timeoutNanos)));
    Connecting greeting = Answers.await(begun, "the device");
    try {
      return greeting.answer().get();
    } catch (ExecutionException e) {
      throw DeviceException.rethrown(e);
    } catch (InterruptedException e) {
      boolean _ = order(() -> giveUp(greeting));
      throw DeviceException.interrupted("connecting", e);
    }
  }

  // ---- the device's thread -------------------------------------------------------------------

  private Listener listen(InetSocketAddress address, String place, int tag) throws IOException {
    SharedPort shared = listening.get(address);
    if (shared == null) {
      shared = new SharedPort(loop, this, network.ports(), address);
      listening.put(address, shared);
    }
    XdpListener listener = new XdpListener(this, shared, tag);
    if (!shared.add(tag, listener)) {
      throw DeviceException.tagTaken(tag, place, null);
    }
    return listener;
  }

  private Connecting begin(
      InetSocketAddress address, String place, PortSpec spec, long timeoutNanos)
      throws IOException {
    if (!network.begins()) {
      throw new DeviceException(
          Fault.MISCONFIGURED,
          "the kernel has this stack's address too, so the stack answers and cannot ask. Fix: an"
              + " address of its own for the connecting end");
    }
    SharedPort shared = connecting;
    if (shared == null) {
      shared = new SharedPort(loop, this, network.ports(), new InetSocketAddress(0));
      connecting = shared;
    }
    if (shared.isOwn(address)) {
      throw new DeviceException(
          Fault.MISCONFIGURED,
          place
              + " is this stack's own address, which it does not send to. Fix: a stack for each"
              + " end, or the device local");
    }
    DatagramPeer peer = DatagramPeer.of((Inet4Address) address.getAddress(), address.getPort());
    long id = shared.reserve(peer);
    Connecting made = new Connecting(shared, spec, place, id, datagramBytes, timeoutNanos);
    shared.join(made);
    made.greet();
    return made;
  }

  private static void giveUp(Connecting greeting) {
    greeting.abandon(new DeviceException(Fault.OTHER, "interrupted while connecting"));
    CompletableFuture<Port> answer = greeting.answer();
    if (!answer.isCompletedExceptionally()) {
      answer.resultNow().end(Failure.CLOSED); // in the very last moment
    }
  }

  /// Closes a port without listeners and connections; the one for connecting stays.
  void closeIfUnused(SharedPort shared) {
    if (shared.isUnused()) {
      loop.execute(() -> closeUnused(shared)); // not while it handles a datagram
    }
  }

  private void closeUnused(SharedPort shared) {
    if (shared.isUnused() && listening.values().remove(shared)) {
      shared.close();
    }
  }

  private List<SharedPort> all() {
    List<SharedPort> all = new ArrayList<>(listening.values());
    if (connecting != null) {
      all.add(connecting);
    }
    return all;
  }

  private void tick() {
    boolean hasty = false;
    try {
      for (SharedPort each : all()) {
        hasty |= each.tick();
      }
    } finally {
      loop.schedule(hasty ? HASTY_NANOS : TICK_NANOS, this::tick);
    }
  }

  private void run() {
    try (Network _ = network;
        Loop turning = loop) {
      turning.schedule(0, this::tick);
      while (!stopped) {
        int _ = turning.turn(-1);
      }
      farewell(turning);
    } catch (RuntimeException | Error e) {
      stopped = true;
      LOGGER.log(Level.ERROR, "the thread of the device xdp has died", e);
      orders.end();
      all().forEach(SharedPort::stop); // nothing is sent, but what is posted is returned
      throw e;
    }
  }

  private void farewell(Loop turning) {
    int _ = turning.turn(0);
    orders.end();
    all().forEach(SharedPort::stop);
    long end = System.nanoTime() + FAREWELL_NANOS;
    while (all().stream().anyMatch(each -> each.open() > 0) && System.nanoTime() - end < 0) {
      int _ = turning.turn(HASTY_NANOS);
    }
    all().forEach(SharedPort::close);
  }

  /// Ends all connections and the thread.
  @Override
  public void close() {
    stopped = true;
    loop.execute(() -> {});
    if (thread != Thread.currentThread()) {
      ThreadEnds.join(thread);
    }
  }
}
