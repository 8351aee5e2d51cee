package sluice.host.life;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Handles signals of the operating system. Each action is executed on its own thread, so that a
/// second signal can be handled while the first one is still being processed.
///
/// This class uses `sun.misc.Signal`, which remains available in module jdk.unsupported until the
/// JDK provides a replacement (see `docs/decisions/host.md`).
public final class Signals {
  private Signals() {}

  /// Replaces the JVM's reaction to a signal with the given action.
  ///
  /// @param name the name of the signal without the prefix `SIG`
  /// @param action the action that is executed for each signal
  /// @return false if the previous effect of the signal remains; this is the case if the JVM was
  ///   started with `-Xrs`, if the system has no such signal, or if HUP, INT or TERM was ignored
  ///   when the process was started (such as HUP under nohup(1)), because the JVM does not change
  ///   this
  public static boolean handle(String name, Runnable action) {
    try {
      SignalHandler before = Signal.handle(new Signal(name), signal -> action.run());
      return !before.equals(SignalHandler.SIG_IGN);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// Replaces the reaction to a signal temporarily, see [#handle].
  ///
  /// @return an action that restores the previous reaction
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
