package sluice.host.life;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Lets work that leaves something to be put away end between two steps when a signal comes; a
/// second signal ends the process at once. The thread that works calls; signals come on threads of
/// their own.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | first | first signal | volatile | compareAndSet |
public final class Interrupts implements AutoCloseable {
  private final AtomicReference<@Nullable Ended> first = new AtomicReference<>();
  private final List<Runnable> restore = new ArrayList<>();

  /// The work was ended by a signal.
  public static final class Ended extends IOException {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    Ended(String signal, int exitCode) {
      super("ended by SIG" + signal);
      this.exitCode = exitCode;
    }

    /// 128 and the signal's number, as shells have it.
    public int exitCode() {
      return exitCode;
    }
  }

  /// From now on signals are heard here.
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

  /// Between two steps.
  ///
  /// @throws Ended when a signal has come
  public void check() throws Ended {
    Ended ended = first.get();
    if (ended != null) {
      throw ended;
    }
  }

  /// Signals do again what they did before.
  @Override
  public void close() {
    restore.forEach(Runnable::run);
  }
}
