package sluice.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Finds the circles of a graph, that is, its strongly connected components of more than one node,
/// with Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972). The recursion
/// is as deep as the longest path, which is harmless for the classes of a package.
final class Circles {
  private final Map<String, Set<String>> edges;
  private final Map<String, Integer> index = new HashMap<>();
  private final Deque<String> open = new ArrayDeque<>();
  private final List<Set<String>> circles = new ArrayList<>();

  private Circles(Map<String, Set<String>> edges) {
    this.edges = edges;
  }

  /// Returns the circles of a graph.
  ///
  /// @param edges the successors of every node; each successor must be a key as well
  static List<Set<String>> of(Map<String, Set<String>> edges) {
    Circles search = new Circles(edges);
    edges.keySet().forEach(search::visit);
    return search.circles;
  }

  private int visit(String node) {
    Integer known = index.get(node);
    if (known != null) {
      return open.contains(node) ? known : Integer.MAX_VALUE;
    }
    int own = index.size();
    int lowest = own;
    index.put(node, own);
    open.push(node);
    for (String next : edges.getOrDefault(node, Set.of())) {
      lowest = Math.min(lowest, visit(next));
    }
    if (lowest == own) {
      Set<String> circle = new TreeSet<>();
      String member;
      do {
        member = open.pop();
        circle.add(member);
      } while (!member.equals(node));
      if (circle.size() > 1) {
        circles.add(circle);
      }
    }
    return lowest;
  }
}
