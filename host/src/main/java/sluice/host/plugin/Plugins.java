package sluice.host.plugin;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.domain.JarCopies;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlSocket;
import sluice.host.domain.DomainCounters;
import sluice.http.handlers.Route;
import sluice.loop.counters.Counters;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.Uninterrupted;

/// The plug-ins of `sluice serve`, each in a domain of its own. Started and closed by the main
/// thread; [#reload] is for the thread of a signal.
public final class Plugins implements AutoCloseable {
  private final List<PluginLife> plugins;
  private final @Nullable JarCopies copies;
  private final Consumer<String> log;
  private final FutureTask<Void> loading = new FutureTask<>(this::loadAll);
  private @Nullable Thread looking;
  private volatile boolean closed;

  private Plugins(List<PluginLife> plugins, @Nullable JarCopies copies, Consumer<String> log) {
    this.plugins = plugins;
    this.copies = copies;
    this.log = log;
  }

  /// Begins to load all of them, in a thread of its own. They answer when [#await] has returned.
  ///
  /// @param log told one line each, now and later
  /// @throws IOException if there is no place for copies of their jars
  public static Plugins load(PluginOptions options, Consumer<String> log) throws IOException {
    if (options.isEmpty()) {
      return new Plugins(List.of(), null, log);
    }
    JarCopies copies = JarCopies.create("sluice-plugins");
    List<PluginLife> each =
        options.plugins().stream()
            .map(option -> new PluginLife(option, copies.directory(), options.limit(), log))
            .toList();
    Plugins plugins = new Plugins(each, copies, log);
    HostThread.daemon("load-plugins", plugins.loading).start();
    return plugins;
  }

  private @Nullable Void loadAll() throws IOException {
    for (PluginLife plugin : plugins) {
      plugin.load();
    }
    return null;
  }

  /// Returns when all are loaded.
  ///
  /// @throws IOException when one cannot be loaded, with path, jar, class, method, why and fix
  public void await() throws IOException {
    if (plugins.isEmpty()) {
      return;
    }
    Uninterrupted.await(this::awaitLoading);
    switch (loading.state()) {
      case SUCCESS -> {}
      case FAILED -> throw failure(loading.exceptionNow());
      case RUNNING, CANCELLED -> throw new AssertionError(loading);
    }
  }

  private void awaitLoading() throws InterruptedException {
    try {
      Void _ = loading.get();
    } catch (ExecutionException e) {
      // Its state tells.
    }
  }

  private static IOException failure(Throwable thrown) {
    return switch (thrown) {
      case IOException told -> told;
      case RuntimeException unexpected -> throw unexpected;
      case Error error -> throw error;
      default -> throw new AssertionError(thrown);
    };
  }

  /// What they answer.
  public List<Route> routes() {
    return plugins.stream()
        .map(plugin ->
            Route.at(plugin.prefix())
                .withInterruptlet(() -> new PluginPlace(plugin))
                .withAsyncHandler(new Plugin(plugin)))
        .toList();
  }

  /// Looks at all classes of their jars, without waiting for that, and logs what will be refused.
  public void look() {
    plugins.forEach(PluginLife::look);
  }

  /// Shows their domains to `sluice domain ls` and `stat` until this is closed.
  ///
  /// @return the requests that commands may make of them
  public Map<String, ControlSocket.Action> publishTo(Counters counters) {
    if (plugins.isEmpty()) {
      return Map.of();
    }
    DomainCounters shown = new DomainCounters(counters);
    for (PluginLife plugin : plugins) {
      shown.add(plugin.name(), plugin::domain);
      String label = DomainCounters.LABEL + plugin.name() + "/" + DomainCounters.RESTARTS;
      plugin.countBy(counters.counter(label));
    }
    looking = shown.watch("sluice-plugins", () -> closed, log);
    return Map.of(DomainCounters.KILL, name -> kill(name, shown));
  }

  private ControlAnswer kill(String name, DomainCounters shown) {
    for (PluginLife plugin : plugins) {
      if (plugin.name().equals(name)) {
        plugin.stop();
      }
    }
    return shown.kill(name);
  }

  /// Loads those again that have another jar now, or have ended. Tells what cannot be loaded, which
  /// stays as it was.
  ///
  /// @param told gets one line for each that was loaded, or could not be
  /// @return false if one could not be loaded
  public boolean reload(Consumer<String> told) {
    boolean good = true;
    for (PluginLife plugin : plugins) {
      good &= plugin.reload(told);
    }
    return good;
  }

  /// Ends them, when they are loaded.
  @Override
  public void close() {
    closed = true;
    if (!plugins.isEmpty()) {
      Uninterrupted.await(this::awaitLoading);
    }
    Thread thread = looking;
    if (thread != null) {
      thread.interrupt();
      Uninterrupted.await(thread::join);
    }
    try {
      for (PluginLife plugin : plugins) {
        plugin.close();
      }
      if (copies != null) {
        copies.close();
      }
    } catch (IOException e) {
      log.accept("files of plug-ins stay: " + e.getMessage());
    }
  }
}
