package sluice.verify;

import java.util.Arrays;

/// The dominator tree of the blocks (K. Cooper, T. Harvey and K. Kennedy, *A Simple, Fast Dominance
/// Algorithm*, 2001). A single iteration in reverse postorder is sufficient, because back edges do
/// not change the dominators of a reducible graph.
final class Dominators {
  private final int[] parent;
  private final int[] number;
  private final Steps steps;

  Dominators(FlowGraph graph, LoopForest forest, Steps steps) throws Refused {
    this.steps = steps;
    parent = new int[graph.count()];
    number = new int[graph.count()];
    Arrays.fill(parent, -1);
    int[] order = forest.order();
    for (int i = 0; i < order.length; i++) {
      number[order[i]] = i;
    }
    for (int block : order) {
      for (int e = 0; e < graph.edgeCount(block); e++) {
        int to = graph.edge(block, e);
        steps.take(1);
        if (number[to] > number[block]) {
          parent[to] = parent[to] < 0 ? block : common(parent[to], block);
        }
      }
    }
  }

  private int common(int a, int b) throws Refused {
    while (a != b) {
      steps.take(1);
      if (number[a] > number[b]) {
        a = parent[a];
      } else {
        b = parent[b];
      }
    }
    return a;
  }

  /// Returns true if every path from the start to `block` passes through `dominator`.
  boolean dominates(int dominator, int block) throws Refused {
    int at = block;
    while (at >= 0 && number[at] > number[dominator]) {
      steps.take(1);
      at = parent[at];
    }
    return at == dominator;
  }
}
