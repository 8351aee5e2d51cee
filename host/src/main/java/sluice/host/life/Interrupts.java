package sluice.host.life;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Converts a signal to an exception that is thrown between two steps of an operation, so that the
/// operation can clean up. A second signal terminates the process immediately. This class is used
/// by the thread that performs the operation, whereas signals are handled on their own threads.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | first | first signal | volatile | compareAndSet |
public final class Interrupts implements AutoCloseable {
  private final AtomicReference<@Nullable Ended> first = new AtomicReference<>();
  private final List<Runnable> restore = new ArrayList<>();

  /// Thrown if a signal has interrupted the operation.
  public static final class Ended extends IOException {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    Ended(String signal, int exitCode) {
      super("ended by SIG" + signal);
      this.exitCode = exitCode;
    }

    /// Returns the exit code, which is 128 plus the number of the signal as in shells.
    public int exitCode() {
      return exitCode;
    }
  }

  /// Registers the signal handlers.
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

  /// Checks whether a signal has arrived. Must be called between two steps.
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
