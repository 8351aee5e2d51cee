package sluice.bench.cases;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The order in which systems are measured. Stateless.
public final class Rounds {
  private Rounds() {}

  /// Returns the systems in the given order in even rounds, and reversed in odd ones. Changes in
  /// the course of a run, such as the machine's clock rate, then affect all systems alike.
  ///
  /// @param round from 0
  /// @return a new list, so that systems may be removed during the round
  public static <T> List<T> inTurn(Collection<T> systems, int round) {
    List<T> order = new ArrayList<>(systems);
    return round % 2 == 0 ? order : order.reversed();
  }
}
