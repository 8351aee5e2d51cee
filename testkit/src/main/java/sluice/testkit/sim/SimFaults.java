package sluice.testkit.sim;

import java.util.EnumMap;
import java.util.Map;

/// The probability of each [SimFault] and the total number that may happen. Owned by the thread
/// that runs the simulation.
///
/// Once the budget is used up, nothing more is injected, so a correct caller always finishes.
/// [#random] selects a few faults per seed instead of a little of each: rare faults then coincide
/// often enough to matter.
public final class SimFaults {
  private final Map<SimFault, Integer> perMille = new EnumMap<>(SimFault.class);
  private final Map<SimFault, Integer> injected = new EnumMap<>(SimFault.class);
  private final SimRandom random;
  private int budget;

  private SimFaults(SimRandom random, int budget) {
    this.random = random;
    this.budget = budget;
  }

  /// Returns a mixture without faults.
  public static SimFaults none() {
    return new SimFaults(new SimRandom(0), 0);
  }

  /// Returns a mixture that depends on the seed; one seed in eight has no faults at all.
  public static SimFaults random(SimRandom random) {
    SimFaults faults = new SimFaults(random.split(), random.skewed(400));
    if (random.below(8) == 0) {
      faults.budget = 0;
      return faults;
    }
    int share = random.between(100, 1000);
    for (SimFault fault : SimFault.values()) {
      if (random.chance(share)) {
        int most = fault == SimFault.RESET ? 30 : 400;
        faults.perMille.put(fault, random.skewed(most));
      }
    }
    return faults;
  }

  /// Sets the probability of one fault, 0 to 1000 in a thousand.
  public SimFaults with(SimFault fault, int chancePerMille) {
    perMille.put(fault, chancePerMille);
    return this;
  }

  public SimFaults withBudget(int value) {
    budget = value;
    return this;
  }

  boolean roll(SimFault fault) {
    if (budget == 0 || !random.chance(perMille.getOrDefault(fault, 0))) {
      return false;
    }
    budget--;
    injected.merge(fault, 1, Integer::sum);
    return true;
  }

  /// Returns the number of injections of each fault so far; faults that were never injected are
  /// absent.
  public Map<SimFault, Integer> injected() {
    return injected;
  }

  @Override
  public String toString() {
    return "budget left " + budget + ", injected " + injected();
  }
}
