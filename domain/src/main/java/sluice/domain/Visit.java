package sluice.domain;

import org.jspecify.annotations.Nullable;

/// The time for which a platform thread of the host runs code of a domain: what it uses meanwhile
/// is charged to that domain, while it runs and when it returns. Of one thread.
///
/// A visit that a thread begins while it is on another charges the other no more until it has
/// ended. A virtual thread has no clock: what it uses is its own scheduler's.
final class Visit {
  private static final ThreadLocal<@Nullable Visit> CURRENT = new ThreadLocal<>();

  private final Usage usage;
  private final @Nullable Visit outer;

  private Visit(Usage usage, @Nullable Visit outer) {
    this.usage = usage;
    this.outer = outer;
  }

  /// Begins a visit of the calling thread.
  ///
  /// @return null if it is on a visit to the same domain, or is a virtual thread
  static @Nullable Visit begin(Usage usage) {
    if (Thread.currentThread().isVirtual()) {
      return null;
    }
    Visit outer = CURRENT.get();
    if (outer != null && outer.usage == usage) {
      return null;
    }
    if (outer != null) {
      outer.usage.leave();
    }
    Visit made = new Visit(usage, outer);
    CURRENT.set(made);
    usage.enter();
    return made;
  }

  /// Ends it.
  void end() {
    usage.leave();
    if (outer == null) {
      CURRENT.remove();
    } else {
      CURRENT.set(outer);
      outer.usage.enter();
    }
  }
}
