package sluice.host.plugin;

import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.host.life.AbsentModules;

/// Formats an exception of a plug-in in one line. Stateless.
final class ThrownText {
  private static final int LENGTH = 500;

  private ThrownText() {}

  /// Returns the exception and its origin. This runs code of the plug-in, so only threads that end
  /// with its domain may call.
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
