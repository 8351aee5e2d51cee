package sluice.host.life;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/// Handles signals of the operating system. Each action runs on its own thread, so a second signal
/// is handled while the first is being processed.
///
/// It uses `sun.misc.Signal`, which the JDK keeps in module jdk.unsupported until there is a
/// replacement: see `docs/decisions/host.md`.
public final class Signals {
  private Signals() {}

  /// Replaces the reaction of the JVM to a signal by an action.
  ///
  /// @param name the name without `SIG`
  /// @param action runs at each signal
  /// @return false if the signal keeps its previous effect: the JVM was started with `-Xrs`, the
  ///   system has no such signal, or HUP, INT or TERM has been ignored since the start of the
  ///   process (such as HUP under nohup(1)) and the JVM keeps it so
  public static boolean handle(String name, Runnable action) {
    try {
      SignalHandler before = Signal.handle(new Signal(name), signal -> action.run());
      return !before.equals(SignalHandler.SIG_IGN);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// Replaces the reaction to a signal for a while, see [#handle].
  ///
  /// @return restores the previous reaction
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
