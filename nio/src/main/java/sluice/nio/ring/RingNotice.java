package sluice.nio.ring;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Prints a notice on standard error that a selector does not use a ring, once for each reason. Any
/// thread may call.
public final class RingNotice {
  /// The system property that suppresses the notices.
  public static final String QUIET = "sluice.nio.quiet";

  /// The notice for selectors that are used by several threads, since a ring belongs to one thread.
  static final String THREADS =
      "selectors that several threads select with in turn, as Jetty's, work without rings";

  private static final int LIMIT = 8;
  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private RingNotice() {}

  static void say(String what) {
    if (!Boolean.getBoolean(QUIET) && SAID.size() < LIMIT && SAID.add(what)) {
      System.err.println("sluice.nio: " + what);
    }
  }
}
