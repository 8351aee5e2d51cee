package sluice.bench.cases;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// The order in which systems are measured. Stateless.
public final class Rounds {
  private Rounds() {}

  /// In even rounds as given, in odd ones backward: what changes in the course of a run, such as
  /// the machine's clock rate, meets all systems alike.
  ///
  /// @param round from 0
  /// @return a list of its own: systems may go while it is run through
  public static <T> List<T> inTurn(Collection<T> systems, int round) {
    List<T> order = new ArrayList<>(systems);
    return round % 2 == 0 ? order : order.reversed();
  }
}
