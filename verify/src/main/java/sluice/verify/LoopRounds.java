package sluice.verify;

import java.util.List;
import java.util.function.Predicate;
import sluice.verify.value.LoopVariable;
import sluice.verify.value.Update;
import sluice.verify.value.Update.Form;
import sluice.verify.value.Value;

/// Computes the maximum number of rounds of a loop from the results of the last pass. The
/// computation is based on a variable that changes by at least a known step in each round, that
/// never changes in the opposite direction, and whose value is within a known range at each back
/// edge.
final class LoopRounds {
  private final Dominators dominators;

  LoopRounds(Dominators dominators) {
    this.dominators = dominators;
  }

  /// Returns the maximum number of rounds, or [Long#MAX_VALUE] if it is not limited by any
  /// variable.
  long of(Loop loop) throws Refused {
    if (!loop.isClosed()) {
      return 0;
    }
    long least = Long.MAX_VALUE;
    for (LoopVariable variable : loop.variables()) {
      least = Math.min(least, byVariable(loop, variable));
    }
    return least;
  }

  private long byVariable(Loop loop, LoopVariable variable) throws Refused {
    Value range = variable.atBackEdges();
    List<Update> updates = variable.updates();
    if (range == null || !range.isNumber() || updates.isEmpty()) {
      return Long.MAX_VALUE;
    }
    if (updates.stream().allMatch(Update::isUpwards)) {
      return Math.min(
          additions(range, greatest(loop, updates, Form.ADD, _ -> true, true)),
          multiplications(
              range, greatest(loop, updates, Form.MULTIPLY, u -> u.before().low() >= 1, true)));
    }
    if (updates.stream().allMatch(Update::isDownwards)) {
      return additions(range, greatest(loop, updates, Form.ADD, _ -> true, false));
    }
    boolean neverZero = range.isNeverZero();
    Predicate<Update> reachesZero = u -> neverZero || u.before().isNeverZero();
    if (updates.stream().allMatch(u -> u.form() == Form.SHIFT)) {
      long bits = greatest(loop, updates, Form.SHIFT, reachesZero, true);
      return bits < 1 ? Long.MAX_VALUE : range.kind().bits / bits + 1;
    }
    if (updates.stream().allMatch(u -> u.form() == Form.DIVIDE)) {
      long divisor = greatest(loop, updates, Form.DIVIDE, reachesZero, true);
      return divisor < 2
          ? Long.MAX_VALUE
          : range.kind().bits / (63 - Long.numberOfLeadingZeros(divisor)) + 1;
    }
    return Long.MAX_VALUE;
  }

  /// Returns the largest guaranteed change by the updates that are executed in each round, or 0 if
  /// there is none.
  private long greatest(
      Loop loop, List<Update> updates, Form form, Predicate<Update> fits, boolean upwards)
      throws Refused {
    long greatest = 0;
    for (Update update : updates) {
      if (update.form() == form && fits.test(update) && isInEachRound(loop, update)) {
        greatest = Math.max(greatest, upwards ? update.low() : -update.high());
      }
    }
    return greatest;
  }

  private boolean isInEachRound(Loop loop, Update update) throws Refused {
    for (int latch : loop.latches()) {
      if (!dominators.dominates(update.block(), latch)) {
        return false;
      }
    }
    return true;
  }

  private static long additions(Value range, long step) {
    long width = range.high() - range.low();
    return step < 1 || width < 0 || width == Long.MAX_VALUE ? Long.MAX_VALUE : width / step + 1;
  }

  private static long multiplications(Value range, long factor) {
    if (factor < 2 || range.low() < 1) {
      return Long.MAX_VALUE;
    }
    long rounds = 1;
    for (long left = range.high() / range.low(); left >= factor; left /= factor) {
      rounds++;
    }
    return rounds;
  }
}
