package sluice.verify;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The instructions of one method, together with their line numbers and exception handlers.
/// Instances are immutable.
///
/// @param instructions the instructions in order
/// @param lines the source line of each instruction, or 0 if it is unknown
/// @param handlers the exception handlers in the order of the class file
/// @param locals the number of local variable slots that are used
/// @param bytes the length of the code in bytes
/// @param labels the instruction index of each label
@SuppressWarnings("ArrayRecordComponent") // never compared
record Code(
    List<Instruction> instructions,
    int[] lines,
    List<Handler> handlers,
    int locals,
    int bytes,
    Map<Label, Integer> labels) {

  /// An exception handler. If an instruction between `from` (inclusive) and `to` (exclusive) throws
  /// an exception, execution continues at `target`.
  record Handler(int from, int to, int target) {}

  /// Reads the code of a method.
  ///
  /// @throws Refused if a label has no position
  /// @throws RuntimeException of the ClassFile API if the class file is corrupt
  static Code of(MethodModel method, CodeModel model) throws Refused {
    List<Instruction> instructions = new ArrayList<>();
    List<Integer> lines = new ArrayList<>();
    Map<Label, Integer> labels = new HashMap<>();
    int locals = parameterSlots(method);
    int line = 0;
    for (CodeElement element : model) {
      switch (element) {
        case LabelTarget target -> labels.put(target.label(), instructions.size());
        case LineNumber number -> line = number.line();
        case Instruction instruction -> {
          locals = Math.max(locals, usedSlots(instruction));
          instructions.add(instruction);
          lines.add(line);
        }
        default -> {}
      }
    }
    List<Handler> handlers = new ArrayList<>();
    for (ExceptionCatch entry : model.exceptionHandlers()) {
      handlers.add(
          new Handler(
              index(labels, entry.tryStart()),
              index(labels, entry.tryEnd()),
              index(labels, entry.handler())));
    }
    int bytes = model instanceof CodeAttribute attribute ? attribute.codeLength() : lines.size();
    return new Code(
        instructions,
        lines.stream().mapToInt(Integer::intValue).toArray(),
        handlers,
        locals,
        bytes,
        labels);
  }

  static int parameterSlots(MethodModel method) {
    boolean isStatic = (method.flags().flagsMask() & ClassInfo.STATIC) != 0;
    int slots = isStatic ? 0 : 1;
    for (var type : method.methodTypeSymbol().parameterList()) {
      slots += java.lang.classfile.TypeKind.from(type).slotSize();
    }
    return slots;
  }

  private static int usedSlots(Instruction instruction) {
    return switch (instruction) {
      case LoadInstruction load -> load.slot() + load.typeKind().slotSize();
      case StoreInstruction store -> store.slot() + store.typeKind().slotSize();
      case IncrementInstruction increment -> increment.slot() + 1;
      default -> 0;
    };
  }

  private static int index(Map<Label, Integer> labels, Label label) throws Refused {
    Integer index = labels.get(label);
    if (index == null) {
      throw new Refused(Reason.MALFORMED, -1, "a label leads nowhere");
    }
    return index;
  }

  /// Returns the index of the instruction at the given label.
  int target(Label label) throws Refused {
    int index = index(labels, label);
    if (index >= instructions.size()) {
      throw new Refused(Reason.MALFORMED, -1, "a jump leads behind the code");
    }
    return index;
  }

  int size() {
    return instructions.size();
  }

  Instruction at(int index) {
    return instructions.get(index);
  }

  /// Returns the size of this method, which determines the limit on verification steps.
  long weight() {
    return bytes + 8L * handlers.size();
  }

  int line(int index) {
    return index >= 0 && index < lines.length ? lines[index] : firstLine();
  }

  int firstLine() {
    return lines.length == 0 ? 0 : lines[0];
  }
}
