package sluice.domain;

import org.jspecify.annotations.Nullable;

/// A period during which a platform thread of the host runs code of a domain. The resources used in
/// this period are charged to the domain, both while the thread runs and when it returns. Confined
/// to one thread.
///
/// Visits can be nested. The outer domain is not charged during an inner visit. A virtual thread
/// has no clock, so its use is accounted for by its own scheduler.
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
  /// @return null if the thread is already visiting the domain, or is a virtual thread
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

  /// Ends this visit and resumes the outer one.
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
