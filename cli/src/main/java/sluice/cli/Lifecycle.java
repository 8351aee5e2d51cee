package sluice.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import sluice.cli.console.Signals;
import sluice.http.HttpServer;
import sluice.sys.threads.Uninterrupted;

/// The life of a running server: what signals do to it and what the service manager hears. Signals
/// call from threads of their own.
///
/// | signal | effect |
/// |---|---|
/// | TERM | graceful drain, exit code 0 |
/// | INT | the same; a second one ends the process at once, exit code 130 |
/// | HUP | configuration; if good, access log, error pages, certificate, plug-ins, files anew |
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ending | first signal | volatile | compareAndSet |
/// | configuration | maker, before it hears signals | volatile | volatile |
final class Lifecycle {
  private final HttpServer server;
  private final Runnable reloadPlugins;
  private final ServiceManager manager;
  private final Duration drainTimeout;
  private final Consumer<String> messages;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);
  private volatile String status = "";
  private volatile Configuration configuration = () -> {};

  /// Reads the configuration again.
  @FunctionalInterface
  interface Configuration {
    /// @throws IOException when it is wrong, and the one before stays
    void read() throws IOException;
  }

  /// @param reloadPlugins run for HUP
  /// @param messages told, in one line each, what happens
  Lifecycle(
      HttpServer server,
      Runnable reloadPlugins,
      ServiceManager manager,
      Duration drainTimeout,
      Consumer<String> messages) {
    this.server = server;
    this.reloadPlugins = reloadPlugins;
    this.manager = manager;
    this.drainTimeout = drainTimeout;
    this.messages = messages;
  }

  /// HUP has this read first; if it cannot be, HUP does nothing else.
  void configuredBy(Configuration value) {
    configuration = value;
  }

  /// From now on signals are heard. That HUP cannot be is told: nothing else would show it.
  void listenToSignals() {
    Signals.handle("TERM", this::terminate);
    Signals.handle("INT", this::interrupt);
    if (!Signals.handle("HUP", this::reload)) {
      messages.accept(
          "SIGHUP reads nothing again: this process was started with the signal ignored, as nohup"
              + " does, or with -Xrs. Fix: start it by setsid in the place of nohup, or as a"
              + " service");
    }
  }

  /// Tells the service manager that the server is up.
  void ready(String text) {
    status = text;
    manager.ready(text);
    manager.watch(server.server());
  }

  /// Drains the server; only the first call does anything.
  void terminate() {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    messages.accept("draining, for at most " + drainTimeout.toSeconds() + " s");
    manager.stopping("draining");
    try {
      if (!server.drain(drainTimeout)) {
        messages.accept(
            "the time was over before every connection had ended; the rest was cut off");
      }
    } finally {
      drained.countDown();
    }
  }

  void interrupt() {
    if (ending.get()) {
      messages.accept("interrupted again: ending at once");
      Runtime.getRuntime().halt(130);
    }
    terminate();
  }

  void reload() {
    manager.reloading();
    try {
      configuration.read();
    } catch (IOException e) {
      messages.accept("the configuration in use stays: " + e.getMessage());
      manager.ready(status);
      return;
    }
    try {
      server.reload();
    } catch (IOException e) {
      String.valueOf(e.getMessage()).lines().forEach(messages);
    }
    reloadPlugins.run();
    manager.ready(status);
  }

  /// Blocks until the server has ended.
  ///
  /// @return whether it ended because it was told to
  boolean awaitEnd() {
    Uninterrupted.await(server.server()::awaitEnd);
    if (!ending.get()) {
      return false;
    }
    Uninterrupted.await(drained::await);
    return true;
  }
}
