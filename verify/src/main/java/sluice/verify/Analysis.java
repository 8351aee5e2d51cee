package sluice.verify;

import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Kind;
import sluice.verify.value.LoopVariable;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// Computes the bound of one method. The verdicts on its callees must already be known.
///
/// Each pass visits every block once, in reverse postorder. At the head of a loop it uses an
/// assumption about each variable that the loop writes ([LoopVariable]). A method without loops
/// requires one pass, and any other method requires at most [#PASSES] passes.
final class Analysis {
  /// The maximum number of passes. The first pass observes how variables change, the second pass
  /// uses guesses that are based on these observations, and the third pass uses the observed
  /// ranges. Each subsequent pass discards the guesses that have failed. The last pass discards all
  /// guesses, so that it cannot fail.
  static final int PASSES = 7;

  private static final int NARROWING = 2;

  /// The cost of an exception that is created by the JVM, with a stack trace of 1024 frames.
  private static final Bound CAUGHT = new Bound(4096, 24 * 1024);

  private final Host host;
  private final Method method;
  private final FlowGraph graph;
  private final LoopForest forest;
  private final Values values;
  private final int[] order;
  private final @Nullable State[] incoming;
  private final Conditions conditions;

  private Analysis(Host host, Method method) {
    this.host = host;
    this.method = method;
    graph = method.graph();
    forest = method.forest();
    values = method.values();
    order = forest.order();
    incoming = new State[graph.count()];
    conditions = new Conditions(values);
  }

  static Summary of(MethodInfo info, Code code, Host host) throws Refused {
    if (info.has(ClassInfo.SYNCHRONIZED)) {
      throw new Refused(Reason.MONITOR, -1, "the method is synchronized");
    }
    FlowGraph graph = FlowGraph.of(code, host.steps());
    LoopForest forest = LoopForest.of(graph, host.steps());
    Values values = new Values(host.limits().maxLength());
    Method method = new Method(info, code, graph, forest, values);
    return new Analysis(host, method).find();
  }

  private Summary find() throws Refused {
    prepareLoops();
    Pass pass = pass();
    if (!forest.outerFirst().isEmpty()) {
      for (int number = 2; number <= NARROWING + 1 || hasFailed(); number++) {
        pass = pass();
        settle(number);
      }
    }
    pass.throwRefusal();
    LoopRounds rounds = new LoopRounds(new Dominators(graph, forest, host.steps()));
    for (Loop loop : forest.outerFirst()) {
      loop.setRounds(rounds.of(loop));
      if (loop.rounds() > host.limits().maxBytecodes()) {
        throw unbounded(loop);
      }
    }
    Bound each = new WorstPath(graph, forest, pass, host.steps()).find();
    Summary summary = new Summary(each, pass.once(), pass.returned());
    if (summary.total().bytecodes() > host.limits().maxBytecodes()) {
      throw new Refused(
          Reason.TOO_MUCH_WORK,
          -1,
          "up to "
              + summary.total().bytecodes()
              + " bytecodes, allowed are "
              + host.limits().maxBytecodes());
    }
    return summary;
  }

  private Refused unbounded(Loop loop) {
    String why =
        loop.rounds() == Long.MAX_VALUE
            ? "no variable is known to bring this loop to its end"
            : "only the range of its counter ends this loop, after " + loop.rounds() + " rounds";
    return new Refused(Reason.UNBOUNDED_LOOP, graph.block(loop.head()).first(), why);
  }

  private void prepareLoops() throws Refused {
    if (forest.outerFirst().isEmpty()) {
      return;
    }
    for (int block : order) {
      for (int e = 0; e < graph.edgeCount(block); e++) {
        int to = graph.edge(block, e);
        Loop loop = forest.headedBy(to);
        if (loop != null && forest.isBackEdge(block, to)) {
          loop.addLatch(block);
        }
      }
      FlowGraph.Block content = graph.block(block);
      for (int i = content.first(); i < content.end(); i++) {
        Instruction instruction = method.code().at(i);
        if (instruction instanceof StoreInstruction store) {
          write(block, store.slot());
          if (store.typeKind().slotSize() == 2) {
            write(block, store.slot() + 1);
          }
        } else if (instruction instanceof IncrementInstruction increment) {
          write(block, increment.slot());
        }
      }
    }
  }

  private void write(int block, int slot) throws Refused {
    for (Loop loop = forest.around(block); loop != null; loop = loop.parent()) {
      host.steps().take(1);
      loop.write(slot);
    }
  }

  private boolean hasFailed() {
    return forest.outerFirst().stream()
        .anyMatch(loop -> loop.variables().stream().anyMatch(LoopVariable::failed));
  }

  /// Chooses the assumptions for the next pass.
  private void settle(int number) {
    for (Loop loop : forest.outerFirst()) {
      for (LoopVariable variable : loop.variables()) {
        if (number == NARROWING) {
          variable.narrow(values);
        } else if (number >= PASSES - 1) {
          variable.giveUpKind();
        } else if (variable.failed()) {
          variable.giveUp();
        }
      }
    }
  }

  private Pass pass() throws Refused {
    Pass pass = new Pass(graph.count());
    Interpreter interpreter = new Interpreter(method, host, pass);
    forest.outerFirst().forEach(Loop::beginPass);
    Arrays.fill(incoming, null);
    incoming[0] = entry();
    for (int block : order) {
      State state = incoming[block];
      incoming[block] = null;
      if (state != null) {
        host.steps().take(state.size());
        enterLoop(block, state);
        run(block, state, interpreter, pass);
      }
    }
    return pass;
  }

  private State entry() throws Refused {
    Value[] locals = new Value[method.code().locals()];
    host.steps().take(locals.length);
    Arrays.fill(locals, values.unknown(Kind.NONE));
    int slot = 0;
    if (!method.info().has(ClassInfo.STATIC)) {
      locals[slot++] = values.promised(Kind.REFERENCE);
    }
    for (var type : method.info().model().methodTypeSymbol().parameterList()) {
      // A caller may pass any int as a byte or a char, because the value is restricted only by the
      // code of the callee.
      var kind = java.lang.classfile.TypeKind.from(type);
      locals[slot] = values.promised(Kind.of(kind));
      slot += kind.slotSize();
    }
    return new State(locals, new Value[0], 0);
  }

  private void enterLoop(int block, State state) throws Refused {
    Loop loop = forest.headedBy(block);
    if (loop == null) {
      return;
    }
    for (LoopVariable variable : loop.variables()) {
      host.steps().take(1);
      state.setLocal(variable.slot(), variable.assume(state.local(variable.slot()), values));
    }
    state.forgetStack(values);
  }

  private void run(int block, State state, Interpreter interpreter, Pass pass) throws Refused {
    FlowGraph.Block content = graph.block(block);
    int last = content.last();
    for (int at = content.first(); at < last; at++) {
      host.steps().take(1);
      interpreter.run(at, block, state);
    }
    host.steps().take(1);
    if (content.handlers().length > 0) {
      pass.charge(block, CAUGHT);
      Value exception = values.promised(Kind.REFERENCE);
      for (int handler : content.handlers()) {
        arrive(block, handler, state.atHandler(exception));
      }
    }
    if (method.code().at(last) instanceof BranchInstruction branch
        && Conditions.isNumeric(branch.opcode())) {
      branch(block, branch, state, pass);
      return;
    }
    interpreter.run(last, block, state);
    int[] next = content.next();
    for (int i = 0; i < next.length; i++) {
      arrive(block, next[i], i == next.length - 1 ? state : state.copy());
    }
  }

  private void branch(int block, BranchInstruction branch, State state, Pass pass) throws Refused {
    pass.charge(block, new Bound(1, 0));
    boolean ofTwo = Conditions.isOfTwo(branch.opcode());
    Value right = ofTwo ? state.pop() : conditions.zero();
    Value left = state.pop();
    int[] next = graph.block(block).next();
    State taken = state.copy();
    host.steps().take(2L * state.size());
    if (conditions.learn(taken, branch.opcode(), left, right, true)) {
      arrive(block, next[0], taken);
    }
    if (conditions.learn(state, branch.opcode(), left, right, false)) {
      arrive(block, next[1], state);
    }
  }

  private void arrive(int from, int to, State state) throws Refused {
    host.steps().take(state.size());
    if (forest.isBackEdge(from, to)) {
      Loop loop = forest.headedBy(to);
      if (loop != null) {
        loop.close();
        for (LoopVariable variable : loop.variables()) {
          variable.comesRound(state.local(variable.slot()), values);
        }
      }
      return;
    }
    State known = incoming[to];
    if (known == null) {
      incoming[to] = state;
    } else {
      known.join(state, values);
    }
  }

  /// Returns the code of a method.
  ///
  /// @throws Refused if the method is native or does not have any code
  static Code code(MethodInfo info) throws Refused {
    if (info.has(ClassInfo.NATIVE)) {
      throw new Refused(Reason.NATIVE, -1, "the method is native");
    }
    CodeModel model = info.model().code().orElse(null);
    if (model == null) {
      throw new Refused(Reason.MALFORMED, -1, "the method has no code");
    }
    return Code.of(info.model(), model);
  }
}
