package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.BasicInterpreter;
import org.objectweb.asm.tree.analysis.BasicValue;

/// Compares blocks, edges and loops with the ones that ASM's analyzer finds in the same methods.
@SuppressWarnings("NullAway") // a null fails the test
final class AsmOracleTest {
  /// The control-flow edges between instructions as ASM sees them; `handlers` holds the edges to
  /// exception handlers.
  private static final class Edges extends Analyzer<BasicValue> {
    final Set<List<Integer>> next = new HashSet<>();
    final Set<List<Integer>> handlers = new HashSet<>();

    Edges() {
      super(new BasicInterpreter());
    }

    @Override
    protected void newControlFlowEdge(int from, int to) {
      next.add(List.of(from, to));
    }

    @Override
    protected boolean newControlFlowExceptionEdge(int from, int to) {
      handlers.add(List.of(from, to));
      return true;
    }
  }

  @Test
  void edgesAndLoopsAreThoseOfAsm() throws Exception {
    int loops = 0;
    for (Class<?> type : List.of(Accepted.class, RefusedCases.class, CostTable.class)) {
      loops += compare(Corpus.bytes(type));
    }
    assertThat(loops).isGreaterThan(50);
  }

  @Test
  void edgesAndLoopsOfRandomProgramsAreThoseOfAsm() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dsluice.seed)");
    int loops = 0;
    for (int i = 0; i < 300; i++) {
      loops += compare(RandomProgram.of(new Random(seed + i)));
    }
    assertThat(loops).isGreaterThan(100);
  }

  /// Compares all methods of a class and returns the number of loops found.
  private static int compare(byte[] bytes) throws Exception {
    ClassNode node = new ClassNode();
    new ClassReader(bytes).accept(node, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    Component component = new Component();
    component.add(node.name, bytes);
    ClassInfo type = component.find(node.name);
    int loops = 0;
    for (MethodNode method : node.methods) {
      if (method.instructions.size() > 0) {
        loops += compare(node.name, method, type.method(method.name + method.desc));
      }
    }
    return loops;
  }

  private static int compare(String owner, MethodNode method, MethodInfo info) throws Exception {
    Edges asm = new Edges();
    asm.analyze(owner, method);
    Code code = Code.of(info.model(), info.model().code().orElseThrow());
    Steps steps = new Steps();
    steps.grant(1 << 20);
    FlowGraph graph = FlowGraph.of(code, steps);
    LoopForest forest = LoopForest.of(graph, steps);
    int[] ours = ourNumbers(method);
    Set<List<Integer>> edges = new HashSet<>();
    for (List<Integer> edge : asm.next) {
      int from = ours[edge.get(0)];
      int to = ours[edge.get(1)];
      boolean isReal = method.instructions.get(edge.get(0)).getOpcode() >= 0;
      boolean isInner = isReal && graph.blockOf(from) == graph.blockOf(to) && to == from + 1;
      if (isReal && !isInner) {
        edges.add(List.of(graph.blockOf(from), graph.blockOf(to)));
      }
    }
    Set<List<Integer>> found = new HashSet<>();
    for (int block : forest.order()) {
      for (int to : graph.block(block).next()) {
        found.add(List.of(block, to));
      }
      for (int to : graph.block(block).handlers()) {
        int last = graph.block(block).last();
        assertThat(asm.handlers)
            .as(method.name)
            .anyMatch(e -> ours[e.get(0)] == last && ours[e.get(1)] == graph.block(to).first());
        edges.add(List.of(block, to));
        found.add(List.of(block, to));
      }
    }
    assertThat(found).as(owner + "." + method.name).isEqualTo(edges);
    Set<Integer> heads = new HashSet<>();
    forest.outerFirst().forEach(loop -> heads.add(loop.head()));
    assertThat(heads).as(owner + "." + method.name).isEqualTo(heads(edges, graph.count()));
    return heads.size();
  }

  /// Returns the index of our instruction for each of ASM's nodes. A label has the index of the
  /// instruction after it.
  private static int[] ourNumbers(MethodNode method) {
    int[] numbers = new int[method.instructions.size()];
    int real = 0;
    for (int i = 0; i < numbers.length; i++) {
      AbstractInsnNode node = method.instructions.get(i);
      numbers[i] = real;
      real += node.getOpcode() >= 0 ? 1 : 0;
    }
    return numbers;
  }

  /// Returns the loop heads by the definition of a back edge: an edge whose target dominates its
  /// source, so that the source cannot be reached without the target.
  private static Set<Integer> heads(Set<List<Integer>> edges, int count) {
    Set<Integer> heads = new HashSet<>();
    Set<Integer> reached = reachable(edges, count);
    for (int head : reached) {
      Set<Integer> without = reachable(edges, head);
      for (List<Integer> edge : edges) {
        boolean isDominated = reached.contains(edge.get(0)) && !without.contains(edge.get(0));
        if (edge.get(1) == head && isDominated) {
          heads.add(head);
        }
      }
    }
    return heads;
  }

  private static Set<Integer> reachable(Set<List<Integer>> edges, int without) {
    Set<Integer> seen = new HashSet<>();
    Deque<Integer> waiting = new ArrayDeque<>();
    if (without != 0) {
      waiting.add(0);
    }
    while (!waiting.isEmpty()) {
      int at = waiting.remove();
      if (seen.add(at)) {
        for (List<Integer> edge : edges) {
          if (edge.get(0) == at && edge.get(1) != without) {
            waiting.add(edge.get(1));
          }
        }
      }
    }
    return seen;
  }
}
