package sluice.host.life;

import java.util.List;
import java.util.Locale;

/// How a part of a host is. Immutable: any thread may use it.
///
/// @param part its name, as [Part#name] has it
/// @param reasons why it is not as it should be, a line each; empty for [State#READY] and
///   [State#ENDED]
public record PartHealth(String part, State state, List<String> reasons) {
  /// The states of a part, in the order of its life.
  ///
  /// ```
  /// STARTING → READY ⇄ DEGRADED → DRAINING → ENDED
  ///     └────────┴────────┴→ FAILED
  /// ```
  public enum State {
    /// It is being started, or the host has not been published.
    STARTING,
    /// It does its work.
    READY,
    /// It runs, and something is wrong: a loop that does not turn, a handler that ran too long.
    DEGRADED,
    /// It takes no new work and ends.
    DRAINING,
    /// Nothing of it runs, and nothing had failed: the main classes of its domains have returned.
    ENDED,
    /// Nothing of it runs, and something had failed.
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

  /// Returns what is wrong, a line each; empty while it is well.
  public List<String> troubles() {
    if (isWell()) {
      return List.of();
    }
    String name = part + ": " + state.name().toLowerCase(Locale.ROOT);
    return reasons.isEmpty() ? List.of(name) : reasons.stream().map(r -> name + ": " + r).toList();
  }
}
