package sluice.loop.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import sluice.loop.Loop;
import sluice.loop.Protocol;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.EngineConfig;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.NanoClock;
import sluice.loop.sockets.DescriptorShortage;
import sluice.loop.sockets.Log;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.threads.Uninterrupted;

/// A server with several loops that serve the same addresses. Each loop has its own engine, thread
/// and listening sockets. Any thread may call.
///
/// If there is more than one loop, the listeners share their port by `SO_REUSEPORT`, so that the
/// kernel distributes connections and no loop passes them to another. The first listener is bound
/// without this option, so that starting a second server on the same port fails instead of
/// receiving half of the traffic.
public final class Server implements AutoCloseable {
  /// An executor that runs each task on a new virtual thread.
  public static final Executor VIRTUAL_THREADS =
      task -> Thread.ofVirtual().name("sluice-slow").start(task);

  private final List<Loop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<LoopStart> starts = new ArrayList<>();
  private final List<SocketAddress> addresses = new ArrayList<>();
  private final Watchdog watchdog = new Watchdog();
  private final Engines.Choice choice;

  private Server(Engines.Choice choice) {
    this.choice = choice;
  }

  /// Starts the loops and returns when all of them are listening. If the backend is [Backend#AUTO]
  /// and the best backend is not available for all loops, all of them use the next one.
  ///
  /// @param protocols creates the protocol of each loop, on that loop's thread
  /// @throws IOException if an address cannot be bound or a backend is not available, in which case
  ///   all resources are closed
  public static Server start(ServerConfig config, Function<Loop, Protocol> protocols)
      throws IOException {
    return start(config, protocols, () -> {});
  }

  /// Starts the loops as [#start(ServerConfig, Function)] does, and performs a step that must be
  /// complete before the first client can connect.
  ///
  /// @param ready invoked once, when all engines are open
  /// @throws IOException if `ready` throws it, in which case all resources are closed
  public static Server start(
      ServerConfig config, Function<Loop, Protocol> protocols, BeforeClients ready)
      throws IOException {
    return start(config, protocols, ready, Engines::open);
  }

  /// Allows the loops of the given servers to close idle connections for each other. A loop that
  /// has run out of descriptors and has no idle connection asks the other loops. Called once for
  /// all servers of a process.
  public static void shareDescriptors(List<Server> servers) {
    List<Loop> all = servers.stream().flatMap(each -> each.loops().stream()).toList();
    for (Loop loop : all) {
      List<Loop> others = all.stream().filter(each -> each != loop).toList();
      loop.execute(() -> loop.borrowDescriptorsFrom(others));
    }
  }

  /// A step that must complete before the first client can connect.
  public interface BeforeClients {
    /// Waits until the step is complete.
    ///
    /// @throws IOException if the step fails, in which case the server does not start
    void await() throws IOException;
  }

  /// A factory that opens an engine owned by the calling thread.
  interface EngineOpener {
    Engine open(Engines.Choice choice, EngineConfig config) throws IOException;
  }

  static Server start(
      ServerConfig config,
      Function<Loop, Protocol> protocols,
      BeforeClients ready,
      EngineOpener engines)
      throws IOException {
    Engines.Choice choice = Engines.choose(config.backend());
    while (true) {
      Server server = new Server(choice);
      try {
        server.openAll(config, protocols, engines);
      } catch (IOException e) {
        server.close();
        if (config.backend() != Backend.AUTO || choice.backend() == Backend.JDK) {
          throw e;
        }
        choice = Engines.chooseAfter(choice, e);
        continue;
      }
      try {
        ready.await();
        server.listen(config.addresses());
        shareDescriptors(List.of(server));
        return server;
      } catch (IOException | RuntimeException e) {
        server.close();
        throw e;
      }
    }
  }

  /// Opens all engines before any listener, so that no listener has to be closed if an engine is
  /// not available.
  private void openAll(
      ServerConfig config, Function<Loop, Protocol> protocols, EngineOpener engines)
      throws IOException {
    for (int i = 0; i < config.loops(); i++) {
      LoopStart start = new LoopStart(config.name() + "-loop-" + i, i);
      starts.add(start);
      threads.add(
          Thread.ofPlatform()
              .name(start.name())
              .start(() -> runLoop(start, config, protocols, engines)));
    }
    for (LoopStart start : starts) {
      start.awaitOpened();
    }
  }

  private void listen(List<SocketAddress> wanted) throws IOException {
    List<SocketAddress> bound = wanted;
    for (LoopStart start : starts) {
      bound = start.listen(bound);
      if (start.index() == 0) {
        addresses.addAll(bound);
        bound = bound.subList(0, wanted.size()); // adopted ones are open already
      }
    }
  }

  private void runLoop(
      LoopStart start,
      ServerConfig config,
      Function<Loop, Protocol> protocols,
      EngineOpener engines) {
    Loop loop;
    try {
      Engine engine = engines.open(choice, config.engine());
      loop = new Loop(start.name(), engine, config.loop(), NanoClock.SYSTEM, config.slowPath());
      if (config.handlers() == HandlerThreads.LOOP) {
        LoopThreads carried = new LoopThreads(loop);
        watchdog.watch(carried);
        loop.runHandlersOn(carried);
      }
    } catch (IOException | RuntimeException | Error e) {
      start.notOpened(e);
      return;
    }
    try (loop) {
      List<SocketAddress> wanted = start.opened();
      Protocol protocol = protocols.apply(loop);
      List<SocketAddress> bound = listenAll(loop, config, start.index(), wanted, protocol);
      synchronized (loops) {
        loops.add(loop);
      }
      watchdog.watch(loop);
      start.listening(bound);
      loop.run();
    } catch (IOException | RuntimeException | Error e) {
      if (!start.failed(e)) {
        Log.LOGGER.log(Level.ERROR, () -> start.name() + " has died; its connections are gone", e);
        watchdog.loopDied();
      }
    }
  }

  private static List<SocketAddress> listenAll(
      Loop loop, ServerConfig config, int index, List<SocketAddress> wanted, Protocol protocol)
      throws IOException {
    boolean shared = config.loops() > 1;
    List<SocketAddress> bound = new ArrayList<>();
    for (SocketAddress address : wanted) {
      boolean inet = address instanceof InetSocketAddress;
      ListenOptions options = config.listen().withReusePort(shared && inet);
      if (shared && inet && index == 0) {
        loop.checkFree(address, config.listen());
      }
      if (inet || index == 0) {
        bound.add(loop.listen(address, options, protocol, config.tls()).localAddress());
      }
    }
    for (AdoptedSocket socket : config.adopted()) {
      int own = index == 0 ? socket.fd() : duplicate(socket.fd());
      bound.add(loop.adopt(own, protocol, socket.tls()).localAddress());
    }
    return index == 0 ? bound : wanted;
  }

  /// Duplicates the descriptor of a shared listening socket, because each loop closes its own.
  private static int duplicate(int fd) throws IOException {
    int duplicate = Files.duplicate(fd);
    SysException.check(duplicate, "fcntl", fd, "F_DUPFD_CLOEXEC");
    return duplicate;
  }

  /// Requests a turn from every loop and waits until all of them have completed one or the timeout
  /// has expired. Must not be called on a loop's thread.
  ///
  /// @return the names of the loops that did not complete a turn in time
  public List<String> stuckLoops(Duration timeout) throws InterruptedException {
    List<Loop> asked = loops();
    List<CountDownLatch> turned = new ArrayList<>();
    for (Loop loop : asked) {
      CountDownLatch latch = new CountDownLatch(1);
      turned.add(latch);
      loop.execute(latch::countDown);
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    List<String> stuck = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (!turned.get(i).await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        stuck.add(asked.get(i).name());
      }
    }
    return stuck;
  }

  /// Returns the addresses on which the server listens, with their actual ports. The addresses of
  /// the configuration precede those of the adopted sockets.
  public List<SocketAddress> addresses() {
    return List.copyOf(addresses);
  }

  /// Returns the port of the first Internet address.
  public int port() {
    for (SocketAddress address : addresses) {
      if (address instanceof InetSocketAddress inet) {
        return inet.getPort();
      }
    }
    throw new IllegalStateException("no internet address among " + addresses);
  }

  public Engines.Choice engine() {
    return choice;
  }

  public Watchdog watchdog() {
    return watchdog;
  }

  /// Publishes the counters of the loops in a counters file until the server is closed.
  ///
  /// @param into the publisher, to which more counters may be added later
  public void publishTo(CounterPublisher into) {
    for (Loop loop : loops()) {
      loop.publishTo(into);
    }
    into.counter("server/handler_overruns", watchdog::overruns);
    into.counter("server/slow_turns", watchdog::slowTurns);
    into.counter("server/descriptor_shortages", DescriptorShortage.OF_PROCESS::count);
    into.gauge("server/healthy", () -> watchdog.healthy() ? 1 : 0);
    watchdog.publish(into);
  }

  /// Returns the loops.
  public List<Loop> loops() {
    synchronized (loops) {
      return List.copyOf(loops);
    }
  }

  /// Stops accepting, lets the requests in progress complete, and then stops the loops. This method
  /// blocks until they have terminated. When the timeout expires, the remaining connections are
  /// closed.
  ///
  /// @return true if all requests completed before the timeout
  public boolean drain(Duration timeout) {
    long nanos = timeout.toNanos();
    for (Loop loop : loops()) {
      loop.execute(() -> loop.drain(nanos));
    }
    boolean all = join(timeout.plusSeconds(2));
    close();
    return all && loops().stream().noneMatch(Loop::cutOff);
  }

  /// Blocks until all loops have terminated.
  public void awaitEnd() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /// Blocks until all loops have terminated or the timeout has expired.
  ///
  /// @return true if all loops have terminated
  public boolean awaitEnd(Duration timeout) {
    return join(timeout);
  }

  /// Stops all loops immediately and aborts their connections. Waits a few seconds for the loops to
  /// terminate.
  @Override
  public void close() {
    starts.forEach(LoopStart::giveUp);
    for (Loop loop : loops()) {
      loop.stop();
    }
    join(Duration.ofSeconds(5));
    watchdog.close();
  }

  private boolean join(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean all = true;
    for (Thread thread : threads) {
      Duration left = Duration.ofNanos(deadline - System.nanoTime());
      all &= Uninterrupted.await(left, nanos -> thread.join(Duration.ofNanos(nanos)));
    }
    return all;
  }
}
