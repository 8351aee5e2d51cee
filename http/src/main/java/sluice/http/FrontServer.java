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

/// Files of a site in front of the listening sockets of an application: a loop with a daemon thread
/// of its own (the *companion*), which lives as long as the process, or a loop that a thread of the
/// application turns ([#open]). Any thread may call what is not marked as the loop's.
public final class FrontServer implements AutoCloseable {
  private static final String NAME = "sluice-front";

  /// A loop that does not turn for so long has other troubles.
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

  /// On the thread that turns the loop.
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

  /// Starts the loop; it listens nowhere yet.
  ///
  /// @param complaints told, in one line each, what does not work as it should
  /// @throws IOException when the site, the access log or an engine of the kernel cannot be opened
  public static FrontServer start(Site site, FrontSettings settings, Consumer<String> complaints)
      throws IOException {
    return start(config(site, settings), settings, complaints);
  }

  /// @param config of the files and of the loop; addresses and routes are the application's matter
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

  /// Opens a loop that the calling thread turns and closes; it listens nowhere yet.
  ///
  /// @param complaints told, in one line each, what does not work as it should
  /// @throws IOException when the site, the access log or an engine of the kernel cannot be opened
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

  /// The engine that a front would have.
  ///
  /// @throws IOException when the kernel has none for it
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

  /// Which engine the loop has, and why.
  public Engines.Choice engine() {
    return engine;
  }

  /// As [HttpServer#reload]: forgets what is kept ready, so that each file is read anew.
  public void reload() throws IOException {
    parts.reload();
  }

  Loop loop() {
    return loop;
  }

  /// Shows what is counted in a counters file.
  void publishTo(CounterPublisher into) {
    parts.publishTo(into);
  }

  /// Accepts the clients of a listening socket from now on, until [Listening#close].
  ///
  /// @param fd the socket, which the application keeps: the front has a descriptor of its own
  /// @param application gets what is no file
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

  /// Turns the loop once. The loop's thread, which has called [#open].
  ///
  /// @param nanos 0 does not wait, negative waits without limit
  public void turn(long nanos) {
    int _ = loop.turn(nanos);
  }

  /// Ends the wait of a turn, or the next one.
  public void wake() {
    loop.execute(() -> {});
  }

  /// As [Loop#watch]. The loop's thread.
  public DescriptorWatch watch(int fd, Runnable ready) {
    return loop.watch(fd, ready);
  }

  /// Ends all connections. The loop's thread, or any other when that has ended; a companion is
  /// ended by any other thread, with its own.
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

  /// A listening socket with the front before it. Any thread may call.
  public static final class Listening {
    private final FrontServer front;
    private final Listener listener;

    private Listening(FrontServer front, Listener listener) {
      this.front = front;
      this.listener = listener;
    }

    /// Accepts no more, and returns when the front's descriptor is closed: the port is free once
    /// the application's is too. Connections stay.
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
