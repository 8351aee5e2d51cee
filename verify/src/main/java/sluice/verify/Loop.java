package sluice.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.LoopVariable;

/// One loop of a method. Of one analysis.
final class Loop {
  private final int head;
  private final @Nullable Loop parent;
  private final Map<Integer, LoopVariable> bySlot = new HashMap<>();
  private final List<LoopVariable> variables = new ArrayList<>();
  private final List<Integer> latches = new ArrayList<>();
  private boolean isClosed;
  private long rounds;

  Loop(int head, @Nullable Loop parent) {
    this.head = head;
    this.parent = parent;
  }

  /// The block that each round begins with.
  int head() {
    return head;
  }

  /// The loop around this one.
  @Nullable Loop parent() {
    return parent;
  }

  void write(int slot) {
    bySlot.computeIfAbsent(
        slot,
        _ -> {
          LoopVariable variable = new LoopVariable(slot);
          variables.add(variable);
          return variable;
        });
  }

  List<LoopVariable> variables() {
    return variables;
  }

  @Nullable LoopVariable variable(int slot) {
    return bySlot.get(slot);
  }

  void addLatch(int block) {
    latches.add(block);
  }

  /// The blocks that a back edge comes from.
  List<Integer> latches() {
    return latches;
  }

  void beginPass() {
    isClosed = false;
    variables.forEach(LoopVariable::beginPass);
  }

  /// A back edge was reached.
  void close() {
    isClosed = true;
  }

  boolean isClosed() {
    return isClosed;
  }

  void setRounds(long rounds) {
    this.rounds = rounds;
  }

  /// How often the head is run after the first time, at most.
  long rounds() {
    return rounds;
  }
}
