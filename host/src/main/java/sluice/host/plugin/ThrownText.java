package sluice.host.plugin;

import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.host.life.AbsentModules;

/// Formats an exception of a plug-in as one line. This class is stateless.
final class ThrownText {
  private static final int LENGTH = 500;

  private ThrownText() {}

  /// Returns a description of the exception and its origin. This executes code of the plug-in, so
  /// it must be called only by threads that terminate with its domain.
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
    } catch (Throwable e) { // its own code may throw any exception
      return thrown.getClass().getName();
    }
  }
}
