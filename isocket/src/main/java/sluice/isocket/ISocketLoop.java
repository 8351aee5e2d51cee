package sluice.isocket;

import java.io.IOException;
import java.net.SocketException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.loop.Listener;
import sluice.loop.Loop;
import sluice.loop.LoopConfig;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.Backend;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.loop.server.LoopThreads;
import sluice.loop.server.Server;
import sluice.loop.server.Watchdog;
import sluice.memory.Account;
import sluice.sys.Files;

/// A loop that receives the input of isockets on its own daemon thread. Any thread may call.
///
/// Sockets that are created without a loop share one ([#shared]), which exists until the process
/// terminates. The system property `sluice.isocket.backend` selects its backend (`io_uring`,
/// `epoll` or `poll`). If the property is not set, the best available backend is used.
public final class ISocketLoop implements AutoCloseable {
  private static final int CLOSE_SECONDS = 10;
  private static final long LATER_NANOS = 1_000_000;
  private static final long SEND_BYTES = 16L << 20;

  /// The write timeout, which is effectively infinite because a peer may read as slowly as it
  /// likes, as with JDK sockets.
  private static final long WRITE_TIMEOUT_NANOS = TimeUnit.DAYS.toNanos(365);

  private static final String PROPERTY = "sluice.isocket.backend";

  private static @Nullable ISocketLoop shared;

  private final String name;
  private final Backend wanted;

  /// Written by the loop's thread before the loop has started.
  private volatile Engines.Choice choice;

  private final StreamCounters counters = new StreamCounters();
  private final SendPool sendPool;
  private final Watchdog watchdog = new Watchdog();
  private final CompletableFuture<Loop> started = new CompletableFuture<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  /// The queues of open server sockets, whose waiting threads are woken when the loop terminates.
  private final Set<AcceptQueue> accepting = ConcurrentHashMap.newKeySet();

  private final Loop loop;
  private volatile boolean closed;

  /// The protocol of connecting sockets, created by the loop's thread for the first such socket.
  private @Nullable IStreamProtocol connecting;

  /// The virtual threads of the loop, created on demand.
  private @Nullable LoopThreads threads;

  private ISocketLoop(
      String name,
      Backend wanted,
      Engines.Choice choice,
      EngineConfig engine,
      LoopConfig config,
      long sendBytes)
      throws IOException {
    this.name = name;
    this.wanted = wanted;
    this.choice = choice;
    this.sendPool = new SendPool(new Account(name + " sends", sendBytes));
    this.thread = Thread.ofPlatform().daemon().name(name).start(() -> run(engine, config));
    try {
      this.loop = started.join();
    } catch (CompletionException e) {
      watchdog.close();
      throw new IOException(name + " did not start: " + e.getCause(), e.getCause());
    }
    watchdog.watch(loop);
  }

  /// Returns the loop shared by all sockets that are created without one. The first call starts it.
  ///
  /// @throws IOException if the kernel offers no usable engine
  public static synchronized ISocketLoop shared() throws IOException {
    ISocketLoop made = shared;
    if (made == null) {
      String wanted = System.getProperty(PROPERTY, Backend.AUTO.toString());
      made = start("sluice-isocket", backend(wanted), EngineConfig.DEFAULT);
      shared = made;
    }
    return made;
  }

  private static Backend backend(String wanted) throws IOException {
    for (Backend each : Backend.values()) {
      if (each.toString().equals(wanted)) {
        return each;
      }
    }
    throw new IOException(
        "no backend "
            + wanted
            + ". Why: "
            + PROPERTY
            + " names it. Fix: auto, io_uring, epoll or poll.");
  }

  /// Starts a loop.
  ///
  /// @throws IOException if the backend is not available; the message states the reason and the fix
  public static ISocketLoop start(String name, Backend backend) throws IOException {
    return start(name, backend, EngineConfig.DEFAULT);
  }

  /// Starts a loop with the given engine configuration, for example to change the size of the
  /// arena.
  ///
  /// @throws IOException if the backend is not available; the message states the reason and the fix
  public static ISocketLoop start(String name, Backend backend, EngineConfig engine)
      throws IOException {
    return start(name, backend, engine, LoopConfig.DEFAULT, SEND_BYTES);
  }

  static ISocketLoop start(
      String name, Backend backend, EngineConfig engine, LoopConfig config, long sendBytes)
      throws IOException {
    Engines.Choice choice = Engines.choose(backend);
    if (choice.backend() == Backend.JDK) {
      throw new IOException(
          "isockets need descriptors. Why: "
              + choice.why()
              + ". Fix: use java.net.Socket, whose methods they have, on this system.");
    }
    return new ISocketLoop(name, backend, choice, engine, config, sendBytes);
  }

  private void run(EngineConfig engine, LoopConfig limits) {
    LoopConfig config = limits.withWriteTimeout(WRITE_TIMEOUT_NANOS);
    try {
      Engines.Opened opened = Engines.open(wanted, choice, engine);
      choice = opened.choice();
      try (Loop made =
          new Loop(name, opened.engine(), config, NanoClock.SYSTEM, Server.VIRTUAL_THREADS)) {
        started.complete(made);
        made.run();
      }
    } catch (IOException | RuntimeException | Error e) {
      if (!started.completeExceptionally(e)) {
        throw new IllegalStateException("the thread " + name + " has failed", e);
      }
    } finally {
      ended.countDown();
    }
  }

  /// Returns the engine that the loop uses, and the reason for the choice.
  public Engines.Choice engine() {
    return choice;
  }

  /// Returns the watchdog that enforces the limits of handlers.
  public Watchdog watchdog() {
    return watchdog;
  }

  /// Returns the number of views of received bytes that `readFast` has returned.
  public long fastReads() {
    return counters.fastReads.get();
  }

  /// Returns the number of segments of input for which no lease was available. These were copied
  /// and delivered by ordinary reads.
  public long leasesRefused() {
    return counters.leasesRefused.get();
  }

  /// Publishes the loop's counters in a counters file.
  public void publishTo(CounterPublisher into) {
    loop.publishTo(into);
    into.counter(name + "/fast_reads", counters.fastReads::get);
    into.counter(name + "/fast_writes", counters.fastWrites::get);
    into.counter(name + "/leases_refused", counters.leasesRefused::get);
    into.counter(name + "/reservations_refused", counters.reservationsRefused::get);
    into.counter(name + "/answered", counters.answered::get);
    into.counter(name + "/passed", counters.passed::get);
    watchdog.handlers().publishTo(into, List.of());
    watchdog.publish(into);
  }

  /// Returns virtual threads that are carried by the loop's own thread. If such a thread serves a
  /// connection, it is woken without a thread switch. Only trusted code should use them; see
  /// [LoopThreads]. Must not be called by an interruptlet.
  ///
  /// @throws IOException if the loop is closed
  public synchronized LoopThreads threads() throws IOException {
    LoopThreads made = threads;
    if (made == null) {
      made = call(() -> new LoopThreads(loop));
      watchdog.watch(made);
      threads = made;
    }
    return made;
  }

  /// Schedules a task after a short delay. Must be called on the loop's thread.
  void later(Runnable task) {
    loop.schedule(LATER_NANOS, task);
  }

  StreamCounters counters() {
    return counters;
  }

  SendPool sendPool() {
    return sendPool;
  }

  // ---- for sockets ----------------------------------------------------------------------------

  /// A task that runs on the loop's thread and for whose result a socket waits.
  private interface Work<T> {
    T run() throws IOException;
  }

  private <T> T call(Work<T> work) throws IOException {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.execute(() -> {
      try {
        if (closed) {
          throw new SocketException("the loop " + name + " is closed");
        }
        result.complete(work.run());
      } catch (IOException | RuntimeException | Error e) {
        result.completeExceptionally(e);
      }
    });
    if (closed) {
      result.completeExceptionally(new SocketException("the loop " + name + " is closed"));
    }
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException known) {
        throw known;
      }
      throw new IOException(e.getCause());
    }
  }

  /// Adopts a connected descriptor, or closes it if that fails.
  SharedStream connected(int fd) throws IOException {
    AtomicBoolean taken = new AtomicBoolean();
    try {
      return call(() -> {
        Connection connection = loop.adoptConnected(fd, connecting());
        taken.set(true);
        if (connection.attachment() instanceof SharedStream stream) {
          return stream;
        }
        throw new SocketException("no descriptor is left for the socket");
      });
    } catch (IOException e) {
      if (!taken.get()) {
        Files.close(fd);
      }
      throw e;
    }
  }

  /// Returns the protocol of connecting sockets. Must be called on the loop's thread.
  private IStreamProtocol connecting() {
    IStreamProtocol protocol = connecting;
    if (protocol == null) {
      protocol = new IStreamProtocol(this, loop, null, new Handlers());
      connecting = protocol;
    }
    return protocol;
  }

  /// Accepts clients on a duplicate of the given listening descriptor.
  Listening listen(int fd, AcceptQueue queue, Handlers handlers) throws IOException {
    int own = Files.duplicate(fd);
    if (own < 0) {
      throw new SocketException("no descriptor is left for the server socket");
    }
    try {
      return call(() -> {
        IStreamProtocol protocol = new IStreamProtocol(this, loop, queue, handlers);
        Listener listener = loop.adopt(own, protocol, null);
        queue.control(
            () -> loop.pauseAccepting(listener),
            () -> loop.execute(() -> loop.resumeAccepting(listener)));
        accepting.add(queue);
        return new Listening(this, listener, queue);
      });
    } catch (IOException e) {
      Files.close(own);
      throw e;
    }
  }

  /// A listening socket on the loop.
  record Listening(ISocketLoop owner, Listener listener, AcceptQueue queue) {
    /// Stops listening. Returns when the loop's descriptor is closed, or immediately if called on
    /// the loop's own thread.
    void close() {
      owner.accepting.remove(queue);
      CountDownLatch done = new CountDownLatch(1);
      Loop loop = owner.loop;
      loop.execute(() -> loop.unlisten(listener, done::countDown));
      while (!owner.closed && Thread.currentThread() != owner.thread) {
        try {
          if (done.await(10, TimeUnit.MILLISECONDS)) {
            return;
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  /// Closes the loop and all of its sockets. Must not be called on the shared loop. Idempotent.
  @Override
  public void close() {
    closed = true;
    watchdog.close();
    loop.stop();
    try {
      boolean _ = ended.await(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    accepting.forEach(AcceptQueue::close);
    sendPool.close();
  }
}
