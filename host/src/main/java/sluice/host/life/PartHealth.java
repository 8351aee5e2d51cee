package sluice.host.life;

import java.util.List;
import java.util.Locale;

/// The health of a part of a host. Instances are immutable and thread-safe.
///
/// @param part the name of the part, see [Part#name]
/// @param state the state of the part
/// @param reasons the reasons for the state, one per line; the list is empty for [State#READY] and
///   [State#ENDED]
public record PartHealth(String part, State state, List<String> reasons) {
  /// The states of a part, in the order of its lifecycle.
  ///
  /// ```
  /// STARTING → READY ⇄ DEGRADED → DRAINING → ENDED
  ///     └────────┴────────┴→ FAILED
  /// ```
  public enum State {
    /// The part is being started, or the host has not been published yet.
    STARTING,
    /// The part is running without problems.
    READY,
    /// The part is running with a problem, such as a loop that does not respond or a handler that
    /// took too long.
    DEGRADED,
    /// The part does not accept new work and is stopping.
    DRAINING,
    /// The part has ended without a failure, for example because the main methods of its domains
    /// have returned.
    ENDED,
    /// The part has ended with a failure.
    FAILED
  }

  /// Copies the reasons.
  public PartHealth {
    reasons = List.copyOf(reasons);
  }

  /// Returns true if the state is [State#READY] or [State#ENDED].
  public boolean isWell() {
    return state == State.READY || state == State.ENDED;
  }

  /// Returns the problems of this part, one per line. The list is empty if the part is well.
  public List<String> troubles() {
    if (isWell()) {
      return List.of();
    }
    String name = part + ": " + state.name().toLowerCase(Locale.ROOT);
    return reasons.isEmpty() ? List.of(name) : reasons.stream().map(r -> name + ": " + r).toList();
  }
}
