package sluice.http;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.http.front.FrontApplication;
import sluice.http.front.FrontProtocol;
import sluice.http.front.FrontSettings;
import sluice.http.site.Site;
import sluice.loop.DescriptorWatch;
import sluice.loop.Listener;
import sluice.loop.Loop;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.engine.Backend;
import sluice.loop.engine.Engine;
import sluice.loop.engine.NanoClock;
import sluice.loop.server.Engines;
import sluice.loop.server.ServerConfig;
import sluice.loop.sockets.ClassFiles;
import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.threads.Uninterrupted;

/// Serves the files of a site in front of an application's listening sockets. The loop is run
/// either by its own daemon thread (the *companion*), which lives as long as the process, or by a
/// thread of the application ([#open]). Any thread may call the methods that are not reserved for
/// the loop's thread.
public final class FrontServer implements AutoCloseable {
  private static final String NAME = "sluice-front";

  /// The time after which a close stops waiting for a loop that does not respond.
  private static final int CLOSE_SECONDS = 2;

  private static final int CLOSE_TURNS = 100;

  private final Loop loop;
  private final Thread thread = Thread.currentThread();
  private final boolean isCompanion;
  private final FrontSettings settings;
  private final HttpParts parts;
  private final HttpFront site;
  private final Engines.Choice engine;
  private volatile boolean closed;

  /// Creates the server on the thread that runs the loop.
  private FrontServer(
      Loop loop,
      FrontSettings settings,
      HttpParts parts,
      Engines.Choice engine,
      boolean isCompanion)
      throws IOException {
    this.isCompanion = isCompanion;
    this.loop = loop;
    this.settings = settings;
    this.parts = parts;
    this.site = parts.front(loop);
    this.engine = engine;
  }

  /// Starts the loop without listening on any socket.
  ///
  /// @param complaints receives a line for each problem that occurs
  /// @throws IOException if the site, the access log or an engine of the kernel cannot be opened
  public static FrontServer start(Site site, FrontSettings settings, Consumer<String> complaints)
      throws IOException {
    return start(config(site, settings), settings, complaints);
  }

  /// @param config the configuration of the files and the loop; addresses and routes are determined
  ///   by the application
  static FrontServer start(HttpConfig config, FrontSettings settings, Consumer<String> complaints)
      throws IOException {
    HttpParts parts = new HttpParts(config, complaints);
    Engines.Choice choice = chooseEngine(config.server().backend());
    CompletableFuture<FrontServer> started = new CompletableFuture<>();
    Thread.ofPlatform().daemon().name(NAME).start(() -> run(settings, parts, choice, started));
    try {
      return started.join();
    } catch (CompletionException e) {
      parts.close();
      throw new IOException(e.getCause() == null ? e : e.getCause());
    }
  }

  /// Opens a loop that the calling thread runs and closes. It does not listen on any socket yet.
  ///
  /// @param complaints receives a line for each problem that occurs
  /// @throws IOException if the site, the access log or an engine of the kernel cannot be opened
  public static FrontServer open(Site site, FrontSettings settings, Consumer<String> complaints)
      throws IOException {
    Engines.Choice choice = chooseEngine();
    HttpParts parts = new HttpParts(config(site, settings), complaints);
    Loop loop = null;
    try {
      Engines.Opened opened = open(parts, choice);
      loop = loop(parts, opened.engine());
      return new FrontServer(loop, settings, parts, opened.choice(), false);
    } catch (IOException | RuntimeException | Error e) {
      if (loop != null) {
        loop.close();
      }
      parts.close();
      throw e;
    }
  }

  /// Returns the engine that a front would use in this process.
  ///
  /// @throws IOException if the kernel supports no suitable engine
  public static Engines.Choice chooseEngine() throws IOException {
    return chooseEngine(Backend.AUTO);
  }

  private static Engines.Choice chooseEngine(Backend wanted) throws IOException {
    Engines.Choice choice = Engines.choose(wanted);
    if (choice.backend() == Backend.JDK) {
      throw new IOException("files in front of an application need Linux: " + choice.why());
    }
    return choice;
  }

  private static HttpConfig config(Site site, FrontSettings settings) {
    HttpConfig config = HttpConfig.of(ServerConfig.onLoopback(NAME, 0), site);
    Path log = settings.accessLog();
    return log == null ? config : config.withAccessLog(log).withLogFormat(settings.logFormat());
  }

  private static Engines.Opened open(HttpParts parts, Engines.Choice choice) throws IOException {
    ServerConfig server = parts.config.server();
    return Engines.open(server.backend(), choice, server.engine());
  }

  private static Loop loop(HttpParts parts, Engine engine) {
    ServerConfig server = parts.config.server();
    return new Loop(NAME, engine, server.loop(), NanoClock.SYSTEM, server.slowPath());
  }

  private static void run(
      FrontSettings settings,
      HttpParts parts,
      Engines.Choice choice,
      CompletableFuture<FrontServer> started) {
    try {
      Engines.Opened opened = open(parts, choice);
      try (Loop loop = loop(parts, opened.engine())) {
        started.complete(new FrontServer(loop, settings, parts, opened.choice(), true));
        loop.run();
      }
    } catch (IOException | RuntimeException | Error e) {
      if (!started.completeExceptionally(e)) {
        throw new IllegalStateException(
            "the thread " + NAME + " has failed; the connections of its clients are closed", e);
      }
    }
  }

  /// Returns the loop's engine and the reason for its choice.
  public Engines.Choice engine() {
    return engine;
  }

  /// Discards all cached replies, so that each file is read again. See [HttpServer#reload].
  public void reload() throws IOException {
    parts.reload();
  }

  Loop loop() {
    return loop;
  }

  /// Publishes the counters in a counters file.
  void publishTo(CounterPublisher into) {
    parts.publishTo(into);
  }

  /// Accepts the clients of a listening socket until [Listening#close] is called.
  ///
  /// @param fd the socket, which is still owned by the application because the front duplicates the
  ///   descriptor
  /// @param application receives the requests that are not for files
  public Listening listen(int fd, FrontApplication application) throws IOException {
    ClassFiles.ready(application.getClass());
    int own = Files.duplicate(fd);
    SysException.check(own, "fcntl", fd, "F_DUPFD_CLOEXEC");
    CompletableFuture<Listener> listener = new CompletableFuture<>();
    onLoop(() -> {
      try {
        listener.complete(loop.adopt(own, protocol(application), null));
      } catch (IOException | RuntimeException e) {
        listener.completeExceptionally(e);
      }
    });
    try {
      return new Listening(this, listener.join());
    } catch (CompletionException e) {
      Files.close(own);
      throw new IOException(e.getCause() == null ? e : e.getCause());
    }
  }

  private void onLoop(Runnable task) {
    if (Thread.currentThread() == thread) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  /// Runs one turn of the loop. Called by the thread that has called [#open].
  ///
  /// @param nanos the longest time to wait, 0 to return immediately, or a negative number to wait
  ///   indefinitely
  public void turn(long nanos) {
    int _ = loop.turn(nanos);
  }

  /// Ends the wait of the current turn or of the next one.
  public void wake() {
    loop.execute(() -> {});
  }

  /// Watches a descriptor; see [Loop#watch]. Called by the loop's thread.
  public DescriptorWatch watch(int fd, Runnable ready) {
    return loop.watch(fd, ready);
  }

  /// Closes all connections. If the application runs the loop, this method is called by the loop's
  /// thread, or by any thread after the loop's thread has terminated. A companion is closed by any
  /// other thread, and its own thread then terminates.
  @Override
  public void close() {
    closed = true;
    if (isCompanion) {
      loop.stop();
      Uninterrupted.await(thread::join);
    } else {
      loop.close();
    }
    parts.close();
  }

  private FrontProtocol protocol(FrontApplication application) {
    return new FrontProtocol(loop, site, application, settings);
  }

  /// A listening socket that is served by the front. Any thread may call.
  public static final class Listening {
    private final FrontServer front;
    private final Listener listener;

    private Listening(FrontServer front, Listener listener) {
      this.front = front;
      this.listener = listener;
    }

    /// Stops accepting connections and returns when the front's descriptor has been closed. The
    /// port becomes free once the application has closed its own descriptor. Connections remain
    /// open.
    public void close() {
      CountDownLatch closed = new CountDownLatch(1);
      Loop loop = front.loop;
      front.onLoop(() -> {
        if (front.closed) {
          closed.countDown();
        } else {
          loop.unlisten(listener, closed::countDown);
        }
      });
      if (front.closed || !front.thread.isAlive()) {
        return;
      }
      if (Thread.currentThread() == front.thread) {
        for (int i = 0; i < CLOSE_TURNS && closed.getCount() > 0; i++) {
          front.turn(1_000_000L);
        }
        return;
      }
      try {
        boolean _ = closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
