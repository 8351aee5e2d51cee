package sluice.host.life;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Turns signals into an exception between two steps of a work that has to clean up. A second
/// signal ends the process at once. Used by the working thread; signals arrive on their own
/// threads.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | first | first signal | volatile | compareAndSet |
public final class Interrupts implements AutoCloseable {
  private final AtomicReference<@Nullable Ended> first = new AtomicReference<>();
  private final List<Runnable> restore = new ArrayList<>();

  /// Thrown if a signal has ended the work.
  public static final class Ended extends IOException {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    Ended(String signal, int exitCode) {
      super("ended by SIG" + signal);
      this.exitCode = exitCode;
    }

    /// Returns 128 plus the number of the signal, as shells do.
    public int exitCode() {
      return exitCode;
    }
  }

  /// Starts to handle the signals.
  public Interrupts() {
    listen("HUP", 1);
    listen("INT", 2);
    listen("TERM", 15);
  }

  private void listen(String name, int number) {
    Runnable before = Signals.replace(name, () -> hear(name, 128 + number));
    restore.add(before);
  }

  private void hear(String name, int exitCode) {
    if (!first.compareAndSet(null, new Ended(name, exitCode))) {
      Runtime.getRuntime().halt(exitCode);
    }
  }

  /// Checks for a signal between two steps.
  ///
  /// @throws Ended if a signal has arrived
  public void check() throws Ended {
    Ended ended = first.get();
    if (ended != null) {
      throw ended;
    }
  }

  /// Restores the previous signal handlers.
  @Override
  public void close() {
    restore.forEach(Runnable::run);
  }
}
