package sluice.host.life;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Reacts to signals of the operating system. Each runs its action on a thread of its own, so a
/// second signal is heard while the first is being dealt with.
///
/// On `sun.misc.Signal`, which the JDK keeps in module jdk.unsupported until it has a substitute:
/// see `docs/decisions/host.md`.
public final class Signals {
  private Signals() {}

  /// Runs an action whenever a signal arrives, instead of what the JVM does with it.
  ///
  /// @param name without `SIG`
  /// @return false when the signal does what it did before: the JVM was told to leave signals alone
  ///   (`-Xrs`), the system has no such signal, or HUP, INT or TERM is ignored since the start of
  ///   the process, as HUP is under nohup(1), and the JVM keeps it so
  public static boolean handle(String name, Runnable action) {
    try {
      SignalHandler before = Signal.handle(new Signal(name), signal -> action.run());
      return !before.equals(SignalHandler.SIG_IGN);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// As [#handle], for a while.
  ///
  /// @return makes the signal do again what it did before
  static Runnable replace(String name, Runnable action) {
    try {
      Signal signal = new Signal(name);
      SignalHandler before = Signal.handle(signal, _ -> action.run());
      return () -> Signal.handle(signal, before);
    } catch (IllegalArgumentException e) {
      return () -> {};
    }
  }
}
