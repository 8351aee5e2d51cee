package sluice.host.life;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import sluice.host.control.ControlAnswer;
import sluice.http.HttpServer;
import sluice.sys.threads.Uninterrupted;

/// The life of a running server: what signals and `sluice reload` do to it and what the service
/// manager hears. Signals and requests call from threads of their own.
///
/// | signal | effect |
/// |---|---|
/// | TERM | graceful drain, exit code 0 |
/// | INT | the same; a second one ends the process at once, exit code 130 |
/// | HUP, and `sluice reload` | configuration; if good, access log, error pages, certificate, plug-ins, files anew |
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ending | first signal | volatile | compareAndSet |
/// | configuration | maker, before it hears signals | volatile | volatile |
public final class Lifecycle {
  private final HttpServer server;
  private final Reload plugins;
  private final ServiceManager manager;
  private final Duration drainTimeout;
  private final Consumer<String> messages;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);
  private volatile String status = "";
  private volatile Configuration configuration = _ -> {};

  /// Reads the configuration again.
  @FunctionalInterface
  public interface Configuration {
    /// @param told one line of what is in use now
    /// @throws IOException when it is wrong, and the one before stays
    void read(Consumer<String> told) throws IOException;
  }

  /// Loads again what has changed.
  @FunctionalInterface
  public interface Reload {
    /// @param told one line for each that was loaded, or could not be
    /// @return false if something could not be loaded, and stays as it was
    boolean run(Consumer<String> told);
  }

  /// @param plugins loads plug-ins again, and tells the log of it
  /// @param messages told, in one line each, what happens
  public Lifecycle(
      HttpServer server,
      Reload plugins,
      ServiceManager manager,
      Duration drainTimeout,
      Consumer<String> messages) {
    this.server = server;
    this.plugins = plugins;
    this.manager = manager;
    this.drainTimeout = drainTimeout;
    this.messages = messages;
  }

  /// HUP has this read first; if it cannot be, HUP does nothing else.
  public void configuredBy(Configuration value) {
    configuration = value;
  }

  /// From now on signals are heard. That HUP cannot be is told: nothing else would show it.
  public void listenToSignals() {
    Signals.handle("TERM", this::terminate);
    Signals.handle("INT", this::interrupt);
    if (!Signals.handle("HUP", () -> reload())) {
      messages.accept(
          "SIGHUP reads nothing again: this process was started with the signal ignored, as nohup"
              + " does, or with -Xrs. Fix: use 'sluice reload', which needs no signal");
    }
  }

  /// Tells the service manager that the server is up.
  public void ready(String text) {
    status = text;
    manager.ready(text);
    manager.watch(server.server());
  }

  /// Drains the server; only the first call does anything.
  public void terminate() {
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

  /// Reads again what the server was configured from, and tells the log.
  ///
  /// @return what was loaded, and what was refused and stays as it was
  public synchronized ControlAnswer reload() {
    List<String> report = new ArrayList<>();
    Consumer<String> told =
        line ->
            line.lines()
                .forEach(part -> {
                  messages.accept(part);
                  report.add(part);
                });
    manager.reloading();
    boolean good = reload(told, report);
    manager.ready(status);
    return new ControlAnswer(good, report);
  }

  private boolean reload(Consumer<String> told, List<String> report) {
    try {
      configuration.read(told);
    } catch (IOException e) {
      told.accept("the configuration in use stays: " + e.getMessage());
      return false;
    }
    boolean good = true;
    try {
      server.reload();
      report.add("files, error pages, certificates and the access log are read again");
    } catch (IOException e) {
      told.accept(String.valueOf(e.getMessage()));
      good = false;
    }
    return plugins.run(report::add) && good;
  }

  /// Blocks until the server has ended.
  ///
  /// @return whether it ended because it was told to
  public boolean awaitEnd() {
    Uninterrupted.await(server.server()::awaitEnd);
    if (!ending.get()) {
      return false;
    }
    Uninterrupted.await(drained::await);
    return true;
  }
}
