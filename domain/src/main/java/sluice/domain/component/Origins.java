package sluice.domain.component;

import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// Tracks the arguments of one method through its code, in a single pass from the first to the last
/// instruction, and reports how they are used. Each instance is used once.
///
/// The stack and the locals are simulated with origins instead of values. At a merge of control
/// flow, the state of the preceding instruction is used. The result is therefore a lint that may
/// miss cases, not a proof.
final class Origins {
  /// The origin of a value.
  private enum Origin {
    ELSEWHERE,
    /// A long or double, which occupies two slots in instructions that move slots.
    WIDE,
    THIS,
    ARGUMENT,
    FIELD
  }

  private static final String COLLECTIONS = "java/util/";
  private static final Set<String> ADDING =
      Set.of("add", "addAll", "addFirst", "addLast", "put", "putAll", "push", "offer", "set");
  private static final Set<String> TAKING =
      Set.of(
          "clear",
          "remove",
          "removeAll",
          "removeIf",
          "removeFirst",
          "removeLast",
          "retainAll",
          "replaceAll",
          "sort",
          "poll",
          "pop",
          "putIfAbsent",
          "computeIfAbsent",
          "merge");

  private final String type;
  private final MethodModel method;
  private final Predicate<ClassDesc> copied;
  private final Map<Integer, Origin> locals = new HashMap<>();
  private final ArrayDeque<Origin> stack = new ArrayDeque<>();
  private final List<Reliance> found = new ArrayList<>();
  private int line;

  /// Creates the analysis of one method.
  ///
  /// @param type the class, with slashes
  /// @param copied returns true if objects of a declared type are copied and mutable
  Origins(String type, MethodModel method, Predicate<ClassDesc> copied) {
    this.type = type;
    this.method = method;
    this.copied = copied;
  }

  List<Reliance> follow() {
    locals.put(0, Origin.THIS);
    int slot = 1;
    for (ClassDesc parameter : method.methodTypeSymbol().parameterList()) {
      locals.put(slot, copied.test(parameter) ? Origin.ARGUMENT : Origin.ELSEWHERE);
      slot += TypeKind.from(parameter).slotSize();
    }
    for (CodeElement element : method.code().orElseThrow()) {
      step(element);
    }
    return found;
  }

  private void step(CodeElement element) {
    switch (element) {
      case LineNumber number -> line = number.line();
      case LoadInstruction load ->
          stack.push(
              load.typeKind().slotSize() == 2
                  ? Origin.WIDE
                  : locals.getOrDefault(load.slot(), Origin.ELSEWHERE));
      case StoreInstruction store -> locals.put(store.slot(), pop());
      case FieldInstruction field -> field(field);
      case ArrayLoadInstruction load -> {
        pop();
        Origin array = pop();
        if (load.typeKind() == TypeKind.REFERENCE) {
          stack.push(array);
        } else {
          replace(0, load.typeKind());
        }
      }
      case ArrayStoreInstruction _ -> {
        Origin value = pop();
        pop();
        changed(pop(), value);
      }
      case InvokeInstruction call -> call(call);
      case InvokeDynamicInstruction call -> {
        pop(call.typeSymbol());
        result(call.typeSymbol());
      }
      case ReturnInstruction back -> {
        if (back.opcode() == Opcode.ARETURN && pop() == Origin.FIELD) {
          report(Reliance.What.RETURNS_STATE);
        }
        stack.clear();
      }
      case TypeCheckInstruction check -> {
        if (check.opcode() == Opcode.INSTANCEOF) {
          replace(1);
        }
      }
      case StackInstruction move -> move(move.opcode());
      default -> other(element);
    }
  }

  /// Handles instructions that push values with other origins.
  private void other(CodeElement element) {
    switch (element) {
      case ConstantInstruction constant -> replace(0, constant.typeKind());
      case ConvertInstruction converted -> replace(1, converted.toType());
      case NewObjectInstruction _ -> replace(0);
      case NewPrimitiveArrayInstruction _, NewReferenceArrayInstruction _ -> replace(1);
      case NewMultiArrayInstruction made -> replace(made.dimensions());
      case OperatorInstruction operator -> {
        String name = operator.opcode().name();
        boolean isUnary = name.endsWith("NEG") || name.equals("ARRAYLENGTH");
        boolean isComparison = name.contains("CMP");
        TypeKind kind = isComparison ? TypeKind.INT : operator.typeKind();
        replace(isUnary ? 1 : 2, kind);
      }
      case BranchInstruction branch -> {
        String name = branch.opcode().name();
        if (name.startsWith("GOTO")) {
          stack.clear();
        } else {
          pop();
          if (name.contains("CMP")) {
            pop();
          }
        }
      }
      case MonitorInstruction _ -> pop();
      case ThrowInstruction _, TableSwitchInstruction _, LookupSwitchInstruction _ -> stack.clear();
      default -> {
        // Other instructions leave the stack unchanged.
      }
    }
  }

  private void field(FieldInstruction field) {
    switch (field.opcode()) {
      case GETSTATIC -> replace(0, TypeKind.from(field.typeSymbol()));
      case GETFIELD -> {
        Origin owner = pop();
        boolean isCopied = copied.test(field.typeSymbol());
        if (TypeKind.from(field.typeSymbol()).slotSize() == 2) {
          stack.push(Origin.WIDE);
          return;
        }
        stack.push(
            owner == Origin.THIS && isCopied
                ? Origin.FIELD
                : owner == Origin.ARGUMENT && isCopied ? owner : Origin.ELSEWHERE);
      }
      case PUTSTATIC -> keep(pop());
      default -> {
        Origin value = pop();
        Origin owner = pop();
        changed(owner, value);
        if (owner == Origin.THIS) {
          keep(value);
        }
      }
    }
  }

  private void call(InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    boolean hasArgument = pop(type);
    if (call.opcode() != Opcode.INVOKESTATIC) {
      Origin owner = pop();
      String name = call.name().stringValue();
      boolean isCollection = call.owner().asInternalName().startsWith(COLLECTIONS);
      if (isCollection && (ADDING.contains(name) || TAKING.contains(name))) {
        boolean keeps = ADDING.contains(name) && !name.endsWith("All") && hasArgument;
        changed(owner, keeps ? Origin.ARGUMENT : Origin.ELSEWHERE);
      }
    }
    result(type);
  }

  private void result(MethodTypeDesc type) {
    if (TypeKind.from(type.returnType()) != TypeKind.VOID) {
      replace(0, TypeKind.from(type.returnType()));
    }
  }

  /// Pops the arguments of a call.
  ///
  /// @return true if one of them is an argument of the method
  private boolean pop(MethodTypeDesc type) {
    boolean hasArgument = false;
    for (int i = 0; i < type.parameterCount(); i++) {
      hasArgument |= pop() == Origin.ARGUMENT;
    }
    return hasArgument;
  }

  private void move(Opcode opcode) {
    switch (opcode) {
      case POP -> pop();
      case DUP -> {
        Origin top = pop();
        stack.push(top);
        stack.push(top);
      }
      case DUP_X1 -> {
        Origin top = pop();
        Origin below = pop();
        stack.push(top);
        stack.push(below);
        stack.push(top);
      }
      case SWAP -> {
        Origin top = pop();
        Origin below = pop();
        stack.push(top);
        stack.push(below);
      }
      case DUP2 -> {
        Origin top = pop();
        Origin below = top == Origin.WIDE ? top : pop();
        if (top != Origin.WIDE) {
          stack.push(below);
          stack.push(top);
        }
        stack.push(below);
        stack.push(top);
      }
      case POP2 -> {
        if (pop() != Origin.WIDE) {
          pop();
        }
      }
      default -> stack.clear(); // rare forms
    }
  }

  private void changed(Origin owner, Origin value) {
    if (owner == Origin.ARGUMENT) {
      report(Reliance.What.MODIFIES_ARGUMENT);
    }
    if (owner == Origin.FIELD) {
      keep(value);
    }
  }

  private void keep(Origin value) {
    if (value == Origin.ARGUMENT) {
      report(Reliance.What.KEEPS_ARGUMENT);
    }
  }

  private void report(Reliance.What what) {
    String name = method.methodName().stringValue();
    found.add(new Reliance(ComponentGraph.dotted(type), name, line, what));
  }

  private Origin pop() {
    return stack.isEmpty() ? Origin.ELSEWHERE : stack.pop();
  }

  private void replace(int count) {
    replace(count, TypeKind.REFERENCE);
  }

  private void replace(int count, TypeKind kind) {
    for (int i = 0; i < count; i++) {
      pop();
    }
    stack.push(kind.slotSize() == 2 ? Origin.WIDE : Origin.ELSEWHERE);
  }
}
