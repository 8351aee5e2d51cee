package sluice.host.life;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import sluice.nfs.server.NfsServer;
import sluice.sys.threads.Uninterrupted;

/// The life of a running NFS server: SIGTERM, SIGINT and SIGHUP (its terminal is gone) drain it, a
/// second SIGINT ends the process at once. Signals call from threads of their own.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ending | first signal | volatile | compareAndSet |
public final class NfsLifecycle {
  private final NfsServer server;
  private final Duration drainTimeout;
  private final Consumer<String> messages;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch drained = new CountDownLatch(1);

  /// @param messages told, in one line each, what happens
  public NfsLifecycle(NfsServer server, Duration drainTimeout, Consumer<String> messages) {
    this.server = server;
    this.drainTimeout = drainTimeout;
    this.messages = messages;
  }

  /// From now on signals are heard.
  public void listenToSignals() {
    Signals.handle("TERM", this::terminate);
    Signals.handle("INT", this::interrupt);
    Signals.handle("HUP", this::terminate);
  }

  private void interrupt() {
    if (ending.get()) {
      messages.accept("interrupted again: ending at once; the journal keeps the image whole");
      Runtime.getRuntime().halt(130);
    }
    terminate();
  }

  /// Drains the server; only the first call does anything.
  void terminate() {
    if (!ending.compareAndSet(false, true)) {
      return;
    }
    messages.accept("draining, for at most " + drainTimeout.toSeconds() + " s");
    try {
      if (!server.drain(drainTimeout)) {
        messages.accept("the time was over before every call was answered; clients will ask again");
      }
    } catch (IOException e) {
      messages.accept("what the server keeps in the tree could not be written: " + e.getMessage());
    } finally {
      drained.countDown();
    }
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
