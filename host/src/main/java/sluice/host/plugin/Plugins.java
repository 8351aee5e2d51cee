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

/// The plug-ins of `sluice serve`, each of which runs in its own domain. They are loaded and closed
/// by the main thread, and [#reload] is called by the thread that handles a signal.
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

  /// Starts loading all plug-ins in another thread. They can answer requests after [#await] has
  /// returned.
  ///
  /// @param log a consumer that receives one line per event until the plug-ins are closed
  /// @throws IOException if the directory for copies of the jars cannot be created
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

  /// Waits until all plug-ins have been loaded.
  ///
  /// @throws IOException if a plug-in cannot be loaded, with the path, the jar, the class, the
  ///   method, the reason and a fix
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
      // The result is determined from the state of the task.
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

  /// Returns the routes of the plug-ins.
  public List<Route> routes() {
    return plugins.stream()
        .map(plugin ->
            Route.at(plugin.prefix())
                .withInterruptlet(() -> new PluginPlace(plugin))
                .withAsyncHandler(new Plugin(plugin)))
        .toList();
  }

  /// Checks all classes of the jars in the background, and logs the uses that the domains will
  /// refuse.
  public void look() {
    plugins.forEach(PluginLife::look);
  }

  /// Publishes the domains for `sluice domain ls` and `stat` until this object is closed.
  ///
  /// @return the actions that can be requested by commands
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

  /// Reloads the plug-ins whose jar has been changed or whose domain has terminated. A plug-in that
  /// cannot be loaded remains unchanged.
  ///
  /// @param told a consumer that receives one line for each plug-in that was loaded or could not be
  ///   loaded
  /// @return false if a plug-in could not be loaded
  public boolean reload(Consumer<String> told) {
    boolean good = true;
    for (PluginLife plugin : plugins) {
      good &= plugin.reload(told);
    }
    return good;
  }

  /// Waits until the plug-ins have been loaded, and terminates them.
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
