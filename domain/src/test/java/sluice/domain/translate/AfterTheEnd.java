package sluice.domain.translate;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The control flow of a method after its domain has ended. A gate leads to every enclosing
/// handler, because it throws a death, or another exception if the stack is full. Every other
/// instruction may also continue with the next one. Written independently of the code that places
/// the gates. Confined to one thread.
final class AfterTheEnd {
  private final List<Instruction> instructions = new ArrayList<>();
  private final Map<Label, Integer> places = new HashMap<>();
  private final List<ExceptionCatch> handlers;

  AfterTheEnd(CodeModel code) {
    for (CodeElement element : code) {
      if (element instanceof Instruction instruction) {
        instructions.add(instruction);
      } else if (element instanceof LabelTarget target) {
        places.put(target.label(), instructions.size());
      }
    }
    handlers = code.exceptionHandlers();
  }

  private int place(Label label) {
    return Objects.requireNonNull(places.get(label));
  }

  private static boolean isGate(Instruction instruction) {
    return instruction instanceof InvokeInstruction call
        && call.opcode() == Opcode.INVOKESTATIC
        && call.owner().asInternalName().equals("sluice/domain/own/Gate")
        && call.name().equalsString("pass");
  }

  boolean beginsWithGate() {
    return isGate(instructions.getFirst());
  }

  /// Returns true if some instruction can be reached from itself.
  boolean goesRound() {
    int[] open = new int[instructions.size()]; // how many that come before it are not done
    for (int i = 0; i < open.length; i++) {
      next(i).forEach(to -> open[to]++);
    }
    List<Integer> ready = new ArrayList<>();
    for (int i = 0; i < open.length; i++) {
      if (open[i] == 0) {
        ready.add(i);
      }
    }
    int done = 0;
    while (!ready.isEmpty()) {
      done++;
      for (int to : next(ready.removeLast())) {
        if (--open[to] == 0) {
          ready.add(to);
        }
      }
    }
    return done < open.length;
  }

  private List<Integer> next(int at) {
    Instruction instruction = instructions.get(at);
    List<Integer> next = new ArrayList<>();
    if (!isGate(instruction)) {
      jumps(instruction).forEach(label -> next.add(place(label)));
      if (!endsBlock(instruction) && at + 1 < instructions.size()) {
        next.add(at + 1);
      }
    }
    for (ExceptionCatch entry : handlers) {
      boolean isAround = place(entry.tryStart()) <= at && at < place(entry.tryEnd());
      if (isAround) {
        next.add(place(entry.handler()));
      }
    }
    return next;
  }

  private static List<Label> jumps(Instruction instruction) {
    List<Label> to = new ArrayList<>();
    switch (instruction) {
      case BranchInstruction branch -> to.add(branch.target());
      case TableSwitchInstruction table -> {
        to.add(table.defaultTarget());
        table.cases().stream().map(SwitchCase::target).forEach(to::add);
      }
      case LookupSwitchInstruction lookup -> {
        to.add(lookup.defaultTarget());
        lookup.cases().stream().map(SwitchCase::target).forEach(to::add);
      }
      default -> {}
    }
    return to;
  }

  private static boolean endsBlock(Instruction instruction) {
    return switch (instruction.opcode().kind()) {
      case RETURN, THROW_EXCEPTION, TABLE_SWITCH, LOOKUP_SWITCH -> true;
      case BRANCH -> instruction.opcode() == Opcode.GOTO || instruction.opcode() == Opcode.GOTO_W;
      default -> false;
    };
  }
}
