package sluice.verify;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// The results of one pass over a method. These are the cost of each block, the initialized
/// classes, the returned value, and the first refusal in the order of the code. Instances are used
/// for one analysis.
final class Pass {
  private final Bound[] costs;
  private final Set<String> initialized = new HashSet<>();
  private final Set<MethodInfo> called = new HashSet<>();
  private final Set<Gate.Passage> passages = Collections.newSetFromMap(new IdentityHashMap<>());
  private Bound once = Bound.NONE;
  private @Nullable Value returned;
  private @Nullable Refused refusal;

  Pass(int blocks) {
    costs = new Bound[blocks];
    Arrays.fill(costs, Bound.NONE);
  }

  void charge(int block, Bound cost) {
    costs[block] = costs[block].plus(cost);
  }

  Bound cost(int block) {
    return costs[block];
  }

  /// Charges the work of a class initializer, which is performed at most once per program.
  void chargeOnce(String className, Bound cost) {
    if (initialized.add(className)) {
      once = once.plus(cost);
    }
  }

  /// Records a passage that does not have any cost when it is taken again.
  void charged(Gate.Passage passage) {
    passages.add(passage);
  }

  boolean wasCharged(Gate.Passage passage) {
    return passages.contains(passage);
  }

  /// Adds the one-time work of a callee. Each callee is counted only once.
  void call(MethodInfo callee, Summary summary) {
    if (called.add(callee)) {
      once = once.plus(summary.once());
    }
  }

  Bound once() {
    return once;
  }

  void returns(Value value, Values values) {
    returned = returned == null ? value : values.join(returned, value);
  }

  @Nullable Value returned() {
    return returned;
  }

  void refuse(Refused why) {
    if (refusal == null || why.at() < refusal.at()) {
      refusal = why;
    }
  }

  void throwRefusal() throws Refused {
    if (refusal != null) {
      throw refusal;
    }
  }
}
