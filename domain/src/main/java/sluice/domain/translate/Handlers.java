package sluice.domain.translate;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which exception handlers of a method begin with a gate. Of one thread.
///
/// A handler that would catch a [sluice.domain.inside.Death] does, and a handler that stands before
/// the end of what it protects, because it closes a loop. The handler that a compiler makes to
/// leave a monitor does not: it must reach its `monitorexit`, and rethrows by itself.
final class Handlers {
  private static final Set<String> CATCH_DEATH =
      Set.of("java/lang/Throwable", "java/lang/Error", "sluice/domain/inside/Death");

  private Handlers() {}

  static Set<Label> withGate(CodeModel code) {
    List<ExceptionCatch> handlers = code.exceptionHandlers();
    if (handlers.isEmpty()) {
      return Set.of();
    }
    List<CodeElement> elements = code.elementList();
    Map<Label, Integer> places = new HashMap<>();
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i) instanceof LabelTarget target) {
        places.put(target.label(), i);
      }
    }
    Set<Label> result = new HashSet<>();
    for (ExceptionCatch handler : handlers) {
      int place = places.getOrDefault(handler.handler(), elements.size());
      boolean isBackward = place < places.getOrDefault(handler.tryEnd(), elements.size());
      boolean catchesDeath =
          handler.catchType().map(type -> CATCH_DEATH.contains(type.asInternalName())).orElse(true);
      if ((catchesDeath || isBackward) && !leavesMonitor(elements, place)) {
        result.add(handler.handler());
      }
    }
    return result;
  }

  /// Whether a `monitorexit` comes before the handler branches or ends.
  private static boolean leavesMonitor(List<CodeElement> elements, int place) {
    for (int i = place; i < elements.size(); i++) {
      if (elements.get(i) instanceof Instruction instruction) {
        if (instruction.opcode() == Opcode.MONITOREXIT) {
          return true;
        }
        boolean isSimple =
            switch (instruction.opcode().kind()) {
              case LOAD, STORE, STACK, CONSTANT, NOP -> true;
              default -> false;
            };
        if (!isSimple) {
          return false;
        }
      }
    }
    return false;
  }

  /// Whether an instruction may go to a label that was seen before it.
  static boolean goesBack(CodeElement element, Set<Label> seen) {
    return switch (element) {
      case BranchInstruction branch -> seen.contains(branch.target());
      case TableSwitchInstruction table ->
          seen.contains(table.defaultTarget())
              || table.cases().stream().anyMatch(each -> seen.contains(each.target()));
      case LookupSwitchInstruction lookup ->
          seen.contains(lookup.defaultTarget())
              || lookup.cases().stream().anyMatch(each -> seen.contains(each.target()));
      default -> false;
    };
  }
}
