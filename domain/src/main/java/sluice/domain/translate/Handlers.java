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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Determines which exception handlers of a method begin with a gate, and which handlers' gates
/// must not be covered by an entry of the exception table. Confined to one thread.
///
/// A handler has a gate if it would catch a [sluice.domain.inside.Death], or if it is located
/// before the end of the code that it protects, because it then closes a loop. The handler that a
/// compiler generates to exit a monitor has no gate, because it must reach its `monitorexit`; it
/// rethrows the exception. It may throw a different exception, for example if the monitor is not
/// held. Therefore every handler that covers it has a gate, regardless of the exceptions it
/// catches.
///
/// **A death always propagates forward.** This also applies to the exception that a gate throws
/// instead if the stack is full. The gate of a handler is not covered by any other handler,
/// regardless of the exceptions it catches, except by a monitor handler located after it. A handler
/// that covers a monitor handler is located after it, and has a gate or is a monitor handler
/// itself. Therefore a death reaches the end of the method, even in a class file whose handlers
/// cover themselves and each other. A monitor handler that violates these rules is treated like any
/// other handler, and its monitor is exited when the method is exited.
final class Handlers {
  private static final Set<String> CATCH_DEATH =
      Set.of("java/lang/Throwable", "java/lang/Error", "sluice/domain/inside/Death");

  /// The maximum product of the numbers of handlers and exception table entries that are examined.
  private static final long MOST_PAIRS = 4_000_000;

  /// The maximum number of instructions of a monitor handler.
  private static final int MOST_OF_EXIT = 12;

  private final List<ExceptionCatch> entries;
  private final List<Instruction> instructions = new ArrayList<>();

  /// The number of instructions before each label.
  private final Map<Label, Integer> places = new HashMap<>();

  /// The monitor handlers and the positions at which they end.
  private final Map<Label, Integer> exits = new HashMap<>();

  private final List<Label> gated = new ArrayList<>();
  private final Set<Label> withGate = new HashSet<>();

  /// @throws IllegalArgumentException if the method has too many handlers
  Handlers(CodeModel code) {
    entries = code.exceptionHandlers();
    if (entries.isEmpty()) {
      return;
    }
    for (CodeElement element : code) {
      if (element instanceof Instruction instruction) {
        instructions.add(instruction);
      } else if (element instanceof LabelTarget target) {
        places.put(target.label(), instructions.size());
      }
    }
    Set<Label> all = new HashSet<>();
    entries.forEach(entry -> all.add(entry.handler()));
    if ((long) all.size() * entries.size() > MOST_PAIRS) {
      throw new IllegalArgumentException("a method has " + entries.size() + " handlers");
    }
    all.forEach(this::findExit);
    for (ExceptionCatch entry : entries) {
      Label handler = entry.handler();
      boolean isBackward = place(handler) < place(entry.tryEnd());
      if ((catchesDeath(entry) || isBackward || coversExit(entry))
          && !exits.containsKey(handler)
          && withGate.add(handler)) {
        gated.add(handler);
      }
    }
    gated.sort(Comparator.comparingInt(this::place));
  }

  private int place(Label label) {
    return places.getOrDefault(label, instructions.size());
  }

  private static boolean catchesDeath(ExceptionCatch entry) {
    return entry.catchType().map(type -> CATCH_DEATH.contains(type.asInternalName())).orElse(true);
  }

  private boolean coversExit(ExceptionCatch entry) {
    int first = place(entry.tryStart());
    int last = place(entry.tryEnd());
    return exits.entrySet().stream()
        .anyMatch(exit -> first < exit.getValue() && place(exit.getKey()) < last);
  }

  private void findExit(Label handler) {
    int from = place(handler);
    int end = endOfExit(from);
    if (end < 0) {
      return;
    }
    for (ExceptionCatch entry : entries) {
      int first = place(entry.tryStart());
      int last = place(entry.tryEnd());
      boolean isFit;
      if (entry.handler().equals(handler)) {
        isFit = first >= from ? last <= end : last <= from;
      } else {
        isFit = last <= from || first >= end || place(entry.handler()) > from;
      }
      if (!isFit) {
        return;
      }
    }
    exits.put(handler, end);
  }

  /// Returns the end of a handler that only exits a monitor and rethrows, or -1 if it is a
  /// different handler.
  private int endOfExit(int from) {
    boolean leaves = false;
    for (int i = from; i < Math.min(instructions.size(), from + MOST_OF_EXIT); i++) {
      switch (instructions.get(i).opcode().kind()) {
        case LOAD, STORE, STACK, CONSTANT, NOP -> {}
        case MONITOR -> leaves |= instructions.get(i).opcode() == Opcode.MONITOREXIT;
        case THROW_EXCEPTION -> {
          return leaves ? i + 1 : -1;
        }
        default -> {
          return -1;
        }
      }
    }
    return -1;
  }

  /// Returns true if a handler begins with a gate.
  boolean hasGate(Label handler) {
    return withGate.contains(handler);
  }

  /// Returns true if an entry is omitted because it makes a monitor handler cover itself, which
  /// would loop forever if the monitor is not held.
  boolean isLeftOut(ExceptionCatch entry) {
    return exits.containsKey(entry.handler()) && place(entry.tryStart()) >= place(entry.handler());
  }

  /// Returns the handlers within an entry whose gates must not be covered by it, in code order.
  List<Label> uncovered(ExceptionCatch entry) {
    int first = place(entry.tryStart());
    int last = place(entry.tryEnd());
    int own = exits.containsKey(entry.handler()) ? place(entry.handler()) : -1;
    return gated.stream()
        .filter(each -> place(each) >= first && place(each) < last && own <= place(each))
        .toList();
  }

  /// Returns true if an instruction may jump to a label that precedes it.
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
