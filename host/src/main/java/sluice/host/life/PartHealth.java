package sluice.host.life;

import java.util.List;
import java.util.Locale;

/// The health of a part of a host. Immutable and thread-safe.
///
/// @param part the name of the part, see [Part#name]
/// @param state the state of the part
/// @param reasons the reasons of a bad state, one per line; empty for [State#READY] and
///   [State#ENDED]
public record PartHealth(String part, State state, List<String> reasons) {
  /// The states of a part, in the order of its life.
  ///
  /// ```
  /// STARTING → READY ⇄ DEGRADED → DRAINING → ENDED
  ///     └────────┴────────┴→ FAILED
  /// ```
  public enum State {
    /// The part is being started, or the host has not been published.
    STARTING,
    /// The part works.
    READY,
    /// The part runs with a problem, such as a loop that does not react or a handler that ran too
    /// long.
    DEGRADED,
    /// The part accepts no new work and is ending.
    DRAINING,
    /// The part has ended without a failure: the main classes of its domains have returned.
    ENDED,
    /// The part has ended with a failure.
    FAILED
  }

  /// Copies the reasons.
  public PartHealth {
    reasons = List.copyOf(reasons);
  }

  /// Returns true for [State#READY] and [State#ENDED].
  public boolean isWell() {
    return state == State.READY || state == State.ENDED;
  }

  /// Returns the problems, one per line; empty if the part is well.
  public List<String> troubles() {
    if (isWell()) {
      return List.of();
    }
    String name = part + ": " + state.name().toLowerCase(Locale.ROOT);
    return reasons.isEmpty() ? List.of(name) : reasons.stream().map(r -> name + ": " + r).toList();
  }
}
