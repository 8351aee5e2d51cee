package sluice.verify;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The control flow graph of a method. Instances are immutable.
///
/// An instruction that may throw an exception to a handler is always the last instruction of its
/// block. Therefore a block is either executed completely or left at its last instruction.
final class FlowGraph {
  /// A basic block.
  ///
  /// @param first the index of the first instruction
  /// @param end the index after the last instruction
  /// @param next the successors; for a conditional branch, the target precedes the fall-through
  /// @param handlers the exception handlers of the last instruction
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Block(int first, int end, int[] next, int[] handlers) {
    int last() {
      return end - 1;
    }
  }

  private static final int[] NOWHERE = {};

  private final Code code;
  private final Block[] blocks;
  private final int[] blockAt;

  private FlowGraph(Code code, Block[] blocks, int[] blockAt) {
    this.code = code;
    this.blocks = blocks;
    this.blockAt = blockAt;
  }

  static FlowGraph of(Code code, Steps steps) throws Refused {
    int size = code.size();
    if (size == 0) {
      throw new Refused(Reason.MALFORMED, -1, "the method has no code");
    }
    steps.take(2L * size + code.handlers().size());
    boolean[] leader = leaders(code, covered(code));
    int[] blockAt = new int[size];
    int count = 0;
    for (int i = 0; i < size; i++) {
      count += leader[i] ? 1 : 0;
      blockAt[i] = count - 1;
    }
    int[][] handlers = handlers(code, blockAt, count, steps);
    Block[] blocks = new Block[count];
    for (int first = 0, end; first < size; first = end) {
      end = first + 1;
      while (end < size && !leader[end]) {
        end++;
      }
      int[] next = Arrays.stream(targets(code, end - 1)).map(i -> blockAt[i]).toArray();
      steps.take(next.length);
      boolean mayThrow = mayThrow(code.at(end - 1));
      blocks[blockAt[first]] =
          new Block(first, end, next, mayThrow ? handlers[blockAt[first]] : NOWHERE);
    }
    return new FlowGraph(code, blocks, blockAt);
  }

  /// Returns an array that indicates which instructions have an exception handler.
  private static boolean[] covered(Code code) {
    int[] change = new int[code.size() + 1];
    for (Code.Handler handler : code.handlers()) {
      if (handler.from() < handler.to()) {
        change[handler.from()]++;
        change[handler.to()]--;
      }
    }
    boolean[] covered = new boolean[code.size()];
    int open = 0;
    for (int i = 0; i < covered.length; i++) {
      open += change[i];
      covered[i] = open > 0;
    }
    return covered;
  }

  private static boolean[] leaders(Code code, boolean[] covered) throws Refused {
    int size = code.size();
    boolean[] leader = new boolean[size + 1];
    leader[0] = true;
    for (int i = 0; i < size; i++) {
      int[] targets = targets(code, i);
      if (targets.length != 1 || targets[0] != i + 1) {
        for (int target : targets) {
          leader[target] = true;
        }
        leader[i + 1] = true;
      } else if (code.at(i) instanceof BranchInstruction || (covered[i] && mayThrow(code.at(i)))) {
        leader[i + 1] = true;
      }
    }
    for (Code.Handler handler : code.handlers()) {
      leader[handler.from()] = true;
      leader[handler.to()] = true;
      if (handler.target() >= size) {
        throw new Refused(Reason.MALFORMED, -1, "a handler lies behind the code");
      }
      leader[handler.target()] = true;
    }
    return leader;
  }

  private static int[][] handlers(Code code, int[] blockAt, int count, Steps steps) throws Refused {
    int[][] handlers = new int[count][];
    Arrays.fill(handlers, NOWHERE);
    for (Code.Handler handler : code.handlers()) {
      if (handler.from() >= handler.to()) {
        continue;
      }
      int target = blockAt[handler.target()];
      int end = blockAt[handler.to() - 1];
      for (int block = blockAt[handler.from()]; block <= end; block++) {
        int[] known = handlers[block];
        steps.take(1 + known.length);
        if (Arrays.stream(known).noneMatch(other -> other == target)) {
          handlers[block] = Arrays.copyOf(known, known.length + 1);
          handlers[block][known.length] = target;
        }
      }
    }
    return handlers;
  }

  /// Returns the indices of the instructions that may be executed next, not including exception
  /// handlers.
  private static int[] targets(Code code, int at) throws Refused {
    Instruction instruction = code.at(at);
    int[] targets =
        switch (instruction) {
          case BranchInstruction branch when isGoto(branch.opcode()) ->
              new int[] {code.target(branch.target())};
          case BranchInstruction branch -> new int[] {code.target(branch.target()), at + 1};
          case TableSwitchInstruction s -> cases(code, s.defaultTarget(), s.cases());
          case LookupSwitchInstruction s -> cases(code, s.defaultTarget(), s.cases());
          case ReturnInstruction _, ThrowInstruction _ -> NOWHERE;
          default -> new int[] {at + 1};
        };
    for (int target : targets) {
      if (target >= code.size()) {
        throw new Refused(Reason.MALFORMED, at, "the code has no end");
      }
    }
    return targets;
  }

  private static int[] cases(
      Code code, java.lang.classfile.Label defaultTarget, List<SwitchCase> cases) throws Refused {
    List<Integer> targets = new ArrayList<>();
    targets.add(code.target(defaultTarget));
    for (SwitchCase one : cases) {
      targets.add(code.target(one.target()));
    }
    return targets.stream().mapToInt(Integer::intValue).distinct().toArray();
  }

  static boolean isGoto(Opcode opcode) {
    return opcode == Opcode.GOTO || opcode == Opcode.GOTO_W;
  }

  /// Returns true if an instruction can throw an exception. Pure computations cannot throw
  /// exceptions.
  static boolean mayThrow(Instruction instruction) {
    return switch (instruction) {
      case OperatorInstruction operator ->
          switch (operator.opcode()) {
            case IDIV, LDIV, IREM, LREM, ARRAYLENGTH -> true;
            default -> false;
          };
      case ConstantInstruction constant -> constant.typeKind().equals(TYPE_REFERENCE);
      case ArrayLoadInstruction _, ArrayStoreInstruction _ -> true;
      case LoadInstruction _,
          StoreInstruction _,
          IncrementInstruction _,
          BranchInstruction _,
          TableSwitchInstruction _,
          LookupSwitchInstruction _,
          ConvertInstruction _,
          StackInstruction _,
          NopInstruction _,
          ReturnInstruction _ ->
          false;
      default -> true;
    };
  }

  private static final java.lang.classfile.TypeKind TYPE_REFERENCE =
      java.lang.classfile.TypeKind.REFERENCE;

  Code code() {
    return code;
  }

  int count() {
    return blocks.length;
  }

  Block block(int index) {
    return blocks[index];
  }

  /// Returns the block that contains the given instruction.
  int blockOf(int instruction) {
    return blockAt[instruction];
  }

  int edgeCount(int block) {
    return blocks[block].next.length + blocks[block].handlers.length;
  }

  /// Returns the successor with the given index. Exception handlers follow the other successors.
  int edge(int block, int index) {
    int[] next = blocks[block].next;
    return index < next.length ? next[index] : blocks[block].handlers[index - next.length];
  }
}
