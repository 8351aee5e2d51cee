package sluice.bench.poller;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerFacade;

/// The gang-scheduled server of the Poller paper, written with the old interface as in the paper.
/// The main thread polls and accepts; a gang of workers serves the ready connections; the next poll
/// waits until the last worker is done.
final class PollingServer {
  private static final int BATCH = 1024;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PollerDemoOptions options;
  private final PollerFacade mux;
  private final ServerSocketChannel listener;
  private final int listenerFd;
  private final @Nullable PollerDemoConnection[] connections =
      new @Nullable PollerDemoConnection[1 << 20];
  private final int[] fds = new int[BATCH];
  private final short[] revents = new short[BATCH];
  private final boolean[] gone = new boolean[BATCH];
  private final CyclicBarrier gate;
  private final AtomicInteger next = new AtomicInteger();
  private int ready;

  PollingServer(PollerDemoOptions options) throws IOException {
    this.options = options;
    mux = new PollerFacade(Poller.open(PollerDemoOptions.MOST_CONNECTIONS, options.backend()));
    PollerDemoConnection.serveFile(options.file());
    listener = options.listen();
    listener.configureBlocking(false);
    listenerFd = mux.add(listener, PollerFacade.POLLIN);
    gate = new CyclicBarrier(options.workers() + 1);
  }

  void run() throws IOException, InterruptedException {
    for (int i = 0; i < options.workers(); i++) {
      Thread.ofPlatform().daemon().name("worker-" + i).start(this::work);
    }
    try {
      while (true) {
        ready = mux.waitMultiple(BATCH, fds, revents, -1);
        next.set(0);
        gate.await(); // the gang begins
        gate.await(); // the last has ended
        settle();
      }
    } catch (BrokenBarrierException e) {
      throw new IOException("a worker has died", e);
    }
  }

  private void work() {
    try {
      while (true) {
        gate.await();
        for (int i = next.getAndIncrement(); i < ready; i = next.getAndIncrement()) {
          PollerDemoConnection connection = connections[fds[i]];
          gone[i] = connection != null && connection.serve() < 0;
        }
        gate.await();
      }
    } catch (InterruptedException | BrokenBarrierException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Accepts, closes, and watches for room where a reply did not fit.
  private void settle() throws IOException {
    for (int i = 0; i < ready; i++) {
      int fd = fds[i];
      PollerDemoConnection connection = connections[fd];
      if (fd == listenerFd) {
        accept();
      } else if (connection != null && gone[i]) {
        mux.remove(fd);
        connections[fd] = null;
        connection.close();
      } else if (connection != null) {
        want(fd, (revents[i] & Poller.OUT) != 0, connection.interest());
      }
    }
  }

  private void want(int fd, boolean wasForRoom, int interest) throws IOException {
    if (wasForRoom != (interest == Poller.OUT)) {
      mux.poller().modify(mux.poller().handleOf(fd), interest);
    }
  }

  private void accept() {
    try {
      SocketChannel channel = listener.accept();
      while (channel != null) {
        watch(options.connection(channel, false));
        channel = listener.accept();
      }
    } catch (IOException e) {
      System.err.println("accept: " + e.getMessage());
      LockSupport.parkNanos(RETRY_NANOS); // no descriptor is left until a client goes
    }
  }

  private void watch(PollerDemoConnection connection) throws IOException {
    try {
      connections[mux.add(connection.channel(), PollerFacade.POLLIN)] = connection;
    } catch (IOException full) {
      connection.close();
      throw full;
    }
  }
}
