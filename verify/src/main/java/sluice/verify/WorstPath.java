package sluice.verify;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Computes the longest path through a method. A loop is represented as one node of the enclosing
/// graph. Its cost is the cost of its longest round times the number of rounds. Without back edges
/// the graph is acyclic.
final class WorstPath {
  /// An edge of one level, where a level is either a loop or the code outside of all loops.
  private record Edge(int from, int to) {}

  private final FlowGraph graph;
  private final LoopForest forest;
  private final Steps steps;
  private final Bound[] node; // the cost of a block, or of a whole loop at its head
  private final List<List<Edge>> levels =
      new ArrayList<>(); // by head of the loop; the last one is outside of all loops
  private final List<List<Edge>> leaving = new ArrayList<>(); // by block, for the current level
  private final @Nullable Bound[] reached; // the longest path to a node, without the node
  private final int[] incoming;

  WorstPath(FlowGraph graph, LoopForest forest, Pass pass, Steps steps) {
    this.graph = graph;
    this.forest = forest;
    this.steps = steps;
    int count = graph.count();
    node = new Bound[count];
    reached = new Bound[count];
    incoming = new int[count];
    for (int block = 0; block <= count; block++) {
      levels.add(List.of());
      if (block < count) {
        leaving.add(List.of());
        node[block] = pass.cost(block);
      }
    }
  }

  Bound find() throws Refused {
    collect();
    for (Loop loop : forest.outerFirst().reversed()) {
      Bound round = longest(loop.head(), levels.get(loop.head()));
      node[loop.head()] = round.times(Bound.add(loop.rounds(), 1));
    }
    return longest(0, levels.getLast());
  }

  /// Assigns each forward edge to the innermost loop that contains both of its ends.
  private void collect() throws Refused {
    for (int from : forest.order()) {
      for (int e = 0; e < graph.edgeCount(from); e++) {
        int to = graph.edge(from, e);
        steps.take(1);
        if (!forest.isBackEdge(from, to)) {
          Loop level = forest.outside(to);
          int index = level == null ? graph.count() : level.head();
          if (levels.get(index).isEmpty()) {
            levels.set(index, new ArrayList<>());
          }
          levels.get(index).add(new Edge(representative(from, level), to));
        }
      }
    }
  }

  /// Returns the node that represents a block in the graph of the given level.
  private int representative(int block, @Nullable Loop level) throws Refused {
    int at = block;
    while (forest.outside(at) != level && (level == null || level.head() != at)) {
      steps.take(1);
      Loop around = forest.outside(at);
      if (around == null) {
        throw new Refused(
            Reason.IRREDUCIBLE, graph.block(block).first(), "a jump leads into a loop");
      }
      at = around.head();
    }
    return at;
  }

  private Bound longest(int start, List<Edge> edges) throws Refused {
    for (Edge edge : edges) {
      incoming[edge.to]++;
      if (leaving.get(edge.from).isEmpty()) {
        leaving.set(edge.from, new ArrayList<>());
      }
      leaving.get(edge.from).add(edge);
    }
    Deque<Integer> ready = new ArrayDeque<>(List.of(start));
    reached[start] = Bound.NONE;
    Bound longest = Bound.NONE;
    int followed = 0;
    while (!ready.isEmpty()) {
      int at = ready.remove();
      Bound before = reached[at];
      Bound here = before == null ? node[at] : before.plus(node[at]);
      longest = longest.or(here);
      for (Edge edge : leaving.get(at)) {
        followed++;
        Bound known = reached[edge.to];
        reached[edge.to] = known == null ? here : known.or(here);
        if (--incoming[edge.to] == 0) {
          ready.add(edge.to);
        }
      }
    }
    if (followed != edges.size()) {
      throw new Refused(Reason.IRREDUCIBLE, graph.block(start).first(), "its blocks have no order");
    }
    forget(start, edges);
    return longest;
  }

  private void forget(int start, List<Edge> edges) throws Refused {
    steps.take(2L * edges.size());
    Arrays.fill(reached, start, start + 1, null);
    for (Edge edge : edges) {
      leaving.set(edge.from, List.of());
      Arrays.fill(reached, edge.to, edge.to + 1, null);
    }
  }
}
