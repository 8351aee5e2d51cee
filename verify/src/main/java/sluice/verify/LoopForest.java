package sluice.verify;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The loops of a method and their nesting, which are determined by a single depth-first search (T.
/// Wei, J. Mao, W. Zou and Y. Chen, *A New Algorithm for Identifying Loops in Decompilation*, SAS
/// 2007). An irreducible loop, which has two entries, is refused.
///
/// The search also computes the reverse postorder, in which each block follows all of its
/// predecessors except for back edges.
final class LoopForest {
  private static final int NONE = -1;

  private final FlowGraph graph;
  private final Steps steps;

  /// The head of the innermost loop that contains the block, not including the loop of which the
  /// block is the head.
  private final int[] header;

  /// The position on the path of the search, starting with 1, or 0 if the block is not on the path.
  private final int[] position;

  private final boolean[] visited;
  private final boolean[] isHead;
  private final int[] order;
  private int ordered;
  private final @Nullable Loop[] loops;
  private final List<Loop> outerFirst = new ArrayList<>();

  private LoopForest(FlowGraph graph, Steps steps) {
    this.graph = graph;
    this.steps = steps;
    int count = graph.count();
    header = new int[count];
    Arrays.fill(header, NONE);
    position = new int[count];
    visited = new boolean[count];
    isHead = new boolean[count];
    order = new int[count];
    loops = new Loop[count];
  }

  static LoopForest of(FlowGraph graph, Steps steps) throws Refused {
    LoopForest forest = new LoopForest(graph, steps);
    forest.search();
    forest.makeLoops();
    return forest;
  }

  /// Executes the search. The path is stored in an explicit stack of blocks, together with the
  /// index of the next edge of each block.
  private void search() throws Refused {
    int count = graph.count();
    int[] path = new int[count];
    int[] nextEdge = new int[count];
    int depth = 0;
    path[depth++] = 0;
    visited[0] = true;
    position[0] = 1;
    int last = count;
    while (depth > 0) {
      int block = path[depth - 1];
      steps.take(1);
      if (nextEdge[block] < graph.edgeCount(block)) {
        int to = graph.edge(block, nextEdge[block]++);
        if (!visited[to]) {
          visited[to] = true;
          path[depth++] = to;
          position[to] = depth;
        } else {
          meet(block, to);
        }
      } else {
        depth--;
        position[block] = 0;
        order[--last] = block;
        if (depth > 0) {
          tag(path[depth - 1], header[block]);
        }
      }
    }
    ordered = count - last;
    System.arraycopy(order, last, order, 0, ordered);
  }

  private void meet(int from, int to) throws Refused {
    if (position[to] > 0) {
      isHead[to] = true;
      tag(from, to);
    } else if (header[to] != NONE) {
      if (position[header[to]] == 0) {
        throw new Refused(
            Reason.IRREDUCIBLE, graph.block(to).first(), "a jump leads into the middle of a loop");
      }
      tag(from, header[to]);
    }
  }

  /// Adds `block` to the loop of `head`, and maintains the nesting order of the enclosing loops of
  /// both blocks.
  private void tag(int block, int head) throws Refused {
    int inner = block;
    int outer = head;
    if (outer == NONE || inner == outer) {
      return;
    }
    while (header[inner] != NONE) {
      steps.take(1);
      int around = header[inner];
      if (around == outer) {
        return;
      }
      if (position[around] < position[outer]) {
        header[inner] = outer;
        inner = outer;
        outer = around;
      } else {
        inner = around;
      }
    }
    header[inner] = outer;
  }

  private void makeLoops() {
    for (int i = 0; i < ordered; i++) {
      int block = order[i];
      if (isHead[block]) {
        Loop parent = header[block] == NONE ? null : loops[header[block]];
        Loop loop = new Loop(block, parent);
        loops[block] = loop;
        outerFirst.add(loop);
      }
    }
  }

  /// Returns the reachable blocks in reverse postorder.
  int[] order() {
    return Arrays.copyOf(order, ordered);
  }

  /// Returns all loops, ordered so that each loop follows its enclosing loops.
  List<Loop> outerFirst() {
    return outerFirst;
  }

  /// Returns the loop whose head is the given block, or null if there is none.
  @Nullable Loop headedBy(int block) {
    return loops[block];
  }

  /// Returns the innermost loop that contains a block, or null if there is none. The head of a loop
  /// is considered part of the loop.
  @Nullable Loop around(int block) {
    Loop own = loops[block];
    return own != null ? own : outside(block);
  }

  /// Returns the innermost loop that contains a block, or null if there is none. For the head of a
  /// loop, the enclosing loop is returned.
  @Nullable Loop outside(int block) {
    return header[block] == NONE ? null : loops[header[block]];
  }

  /// Returns true if the edge closes a loop.
  boolean isBackEdge(int from, int to) throws Refused {
    Loop loop = loops[to];
    if (loop == null) {
      return false;
    }
    for (Loop around = around(from); around != null; around = around.parent()) {
      steps.take(1);
      if (around == loop) {
        return true;
      }
    }
    return false;
  }
}
