package sluice.testkit.sim;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.sys.SysException;
import sluice.testkit.EngineContractPeers;

/// The peers of an [EngineContract] on a [SimEngine]: ends of simulated connections behind blocking
/// calls. Owned by the thread that runs the simulation.
///
/// A blocking call of the test's thread lets simulated time pass. [#later] runs its action as an
/// event on a thread of its own, which only runs while the simulation's thread waits for it: when
/// the action blocks, the simulation continues.
final class SimPeers implements EngineContractPeers {
  private final SimNetwork network;
  private final SimScheduler scheduler;
  private int peers;

  /// The running action, or null while the simulation's own thread runs.
  private @Nullable SimTask running;

  SimPeers(SimNetwork network) {
    this.network = network;
    this.scheduler = network.scheduler();
  }

  @Override
  public Peer connect(SocketAddress listener) throws IOException {
    SimPeer peer = new SimPeer();
    peer.local = network.connect(peer, listener);
    block(peer, () -> peer.result <= 0);
    if (peer.result < 0) {
      throw SysException.of(-peer.result, "connect", listener);
    }
    return peer;
  }

  @Override
  public Listener listen() throws IOException {
    PeerListener listener = new PeerListener();
    SocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    listener.address = network.listen(any, listener);
    return listener;
  }

  @Override
  public long nanos() {
    return network.nanos();
  }

  @Override
  public Task later(long delayNanos, Action action) {
    SimTask task = new SimTask(action);
    scheduler.after(delayNanos, () -> resume(task));
    return task;
  }

  @Override
  public boolean reaches(SocketAddress address) {
    return true;
  }

  private void resume(SimTask task) {
    SimTask outer = running;
    running = task;
    task.resume();
    running = outer;
  }

  /// Waits for a condition on `peer`.
  private void block(SimPeer peer, BooleanSupplier condition) throws IOException {
    SimTask task = running;
    while (!condition.getAsBoolean()) {
      if (task != null) {
        peer.waiting.add(task);
        task.pause();
      } else if (!scheduler.runNext(Long.MAX_VALUE)) {
        throw new IOException("nothing can ever happen");
      }
    }
  }

  private final class SimTask extends SimCoroutine implements Task {
    SimTask(Action action) {
      super(action);
    }

    @Override
    public void join() throws IOException {
      while (!ended()) {
        if (!scheduler.runNext(Long.MAX_VALUE)) {
          throw new IOException("the peer's action does not end");
        }
      }
      rethrow();
    }
  }

  private final class SimPeer extends SimEndpoint implements Peer {
    private final int id = 1_000 + peers++;
    private int result = 1;
    private @Nullable SocketAddress local;

    /// The waiting tasks: at most a reader and a writer.
    private final ArrayDeque<SimTask> waiting = new ArrayDeque<>();

    SimPeer() {
      super(SimPeers.this.network);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      for (int sent = 0; sent < bytes.length; ) {
        block(this, this::writable);
        int room = roomOrErrno();
        if (room < 0) {
          throw SysException.of(-room, "send", id);
        }
        int length = Math.min(room, bytes.length - sent);
        transmit(bytes, sent, length);
        sent += length;
      }
    }

    @Override
    public byte[] read(int count) throws IOException {
      byte[] bytes = new byte[count];
      for (int got = 0; got < count; ) {
        block(this, this::readable);
        int length = Math.min(available(), count - got);
        if (length == 0) {
          throw new IOException("stream ended after " + got + " of " + count + " bytes");
        }
        input().read(bytes, got, length);
        consumed();
        got += length;
      }
      return bytes;
    }

    @Override
    public byte[] readAvailable(int limit) throws IOException {
      return read(Math.min(limit, available()));
    }

    @Override
    public boolean readsEnd() throws IOException {
      block(this, this::readable);
      return available() == 0 && endOfInput() == 0;
    }

    @Override
    public void shutdownOutput() {
      sendFin();
    }

    @Override
    public void reset() {
      abort();
      closeEnd();
    }

    @Override
    public SocketAddress localAddress() throws IOException {
      if (local == null) {
        throw new IOException("an accepted peer has the listener's address");
      }
      return local;
    }

    @Override
    public void close() {
      closeEnd();
    }

    @Override
    int id() {
      return id;
    }

    @Override
    void onConnected(int value) {
      result = value;
      wakeWaiting();
    }

    @Override
    void onReadable() {
      wakeWaiting();
    }

    @Override
    void onWritable() {
      wakeWaiting();
    }

    private void wakeWaiting() {
      while (!waiting.isEmpty()) {
        SimTask task = waiting.remove();
        scheduler.after(0, () -> resume(task));
      }
    }
  }

  private final class PeerListener implements Listener, SimNetwork.SimListener {
    private final ArrayDeque<SimPeer> queue = new ArrayDeque<>();
    private InetSocketAddress address = new InetSocketAddress(0);

    @Override
    public SocketAddress address() {
      return address;
    }

    @Override
    public Peer accept() throws IOException {
      while (queue.isEmpty()) {
        if (!scheduler.runNext(Long.MAX_VALUE)) {
          throw new IOException("no client connects");
        }
      }
      return queue.remove();
    }

    @Override
    public void close() {
      network.unlisten(address.getPort(), this);
    }

    @Override
    public boolean reusePort() {
      return false;
    }

    @Override
    public SimEndpoint offer(InetSocketAddress source) {
      SimPeer peer = new SimPeer();
      queue.add(peer);
      return peer;
    }
  }
}
