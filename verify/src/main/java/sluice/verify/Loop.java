package sluice.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.LoopVariable;

/// A loop of a method. Instances are used for one analysis.
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

  /// Returns the block at which each iteration starts.
  int head() {
    return head;
  }

  /// Returns the enclosing loop, or null if there is none.
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

  /// Returns the blocks at which the back edges start.
  List<Integer> latches() {
    return latches;
  }

  void beginPass() {
    isClosed = false;
    variables.forEach(LoopVariable::beginPass);
  }

  /// Records that a back edge has been reached.
  void close() {
    isClosed = true;
  }

  boolean isClosed() {
    return isClosed;
  }

  void setRounds(long rounds) {
    this.rounds = rounds;
  }

  /// Returns the maximum number of times that the head is executed again.
  long rounds() {
    return rounds;
  }
}
