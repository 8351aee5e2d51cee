package sluice.bench.poller;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;

/// The asynchronous server that the Poller paper describes and leaves out. The main thread polls, a
/// second one accepts, workers serve; none waits for another. Reporting a ready connection disables
/// it, so that only one worker has it; the worker enables it after serving it.
final class AsyncPollingServer {
  private static final int BATCH = 1024;
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PollerDemoOptions options;
  private final Poller poller;
  private final ServerSocketChannel listener;
  private final AtomicReferenceArray<@Nullable PollerDemoConnection> connections =
      new AtomicReferenceArray<>(PollerDemoOptions.MOST_CONNECTIONS);
  private final BlockingQueue<PollerDemoConnection> ready =
      new ArrayBlockingQueue<>(PollerDemoOptions.MOST_CONNECTIONS);

  AsyncPollingServer(PollerDemoOptions options) throws IOException {
    this.options = options;
    poller = Poller.open(PollerDemoOptions.MOST_CONNECTIONS, options.backend());
    PollerDemoConnection.serveFile(options.file());
    listener = options.listen();
  }

  void run() {
    Thread.ofPlatform().daemon().name("accept").start(this::accept);
    for (int i = 0; i < options.workers(); i++) {
      Thread.ofPlatform().daemon().name("worker-" + i).start(this::work);
    }
    PollerEvents events = new PollerEvents(BATCH);
    while (true) {
      int count = poller.await(events, BATCH, -1);
      for (int i = 0; i < count; i++) {
        ready.add(connection(events.handle(i)));
      }
    }
  }

  /// Returns the connection of an entry that was reported.
  private PollerDemoConnection connection(long handle) {
    int index = Poller.index(handle);
    PollerDemoConnection found = connections.get(index);
    if (found == null || found.handle != handle) {
      synchronized (connections) { // it is being added
        found = Objects.requireNonNull(connections.get(index));
      }
    }
    return found;
  }

  private void accept() {
    while (listener.isOpen()) {
      try {
        watch(options.connection(listener.accept(), false));
      } catch (IOException e) {
        System.err.println("accept: " + e.getMessage());
        LockSupport.parkNanos(RETRY_NANOS); // no descriptor is left until a client goes
      }
    }
  }

  private void watch(PollerDemoConnection connection) throws IOException {
    try {
      synchronized (connections) { // it may be reported before it is in the table
        int events = Poller.IN | Poller.AUTO_DISABLE;
        connection.handle = poller.add(connection.channel(), events);
        connections.set(Poller.index(connection.handle), connection);
      }
    } catch (IOException full) {
      connection.close();
      throw full;
    }
  }

  private void work() {
    try {
      while (true) {
        PollerDemoConnection connection = ready.take();
        int before = connection.interest();
        int received = connection.serve();
        if (received < 0) {
          poller.remove(connection.handle);
          connection.close();
          continue;
        }
        if (connection.interest() != before) {
          poller.modify(connection.handle, connection.interest() | Poller.AUTO_DISABLE);
        }
        poller.enable(connection.handle);
      }
    } catch (InterruptedException | IOException e) {
      System.err.println("worker: " + e.getMessage());
      Thread.currentThread().interrupt();
    }
  }
}
