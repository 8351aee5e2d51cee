package sluice.host.plugin;

import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.host.life.AbsentModules;

/// Puts into one line what a plug-in has thrown. Stateless.
final class ThrownText {
  private static final int LENGTH = 500;

  private ThrownText() {}

  /// Returns what was thrown and where. Runs code of the plug-in, so only a thread that ends with
  /// its domain may call.
  static String of(@Nullable Throwable thrown) {
    if (thrown == null) {
      return "nothing is known of it";
    }
    try {
      String absent = AbsentModules.why(thrown);
      if (absent != null) {
        return thrown + ": " + absent + ". Fix: " + AbsentModules.FIX;
      }
      StackTraceElement[] stack = thrown.getStackTrace();
      String text = thrown + (stack.length == 0 ? "" : " at " + stack[0]);
      return text.length() > LENGTH ? text.substring(0, LENGTH) + "…" : text;
    } catch (Death e) {
      throw e;
    } catch (Throwable e) { // its own code may throw anything
      return thrown.getClass().getName();
    }
  }
}
