package sluice.verify;

import java.lang.classfile.Instruction;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.DynamicConstantPoolEntry;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import sluice.verify.value.Kind;
import sluice.verify.value.LoopVariable;
import sluice.verify.value.Range;
import sluice.verify.value.Update;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// Computes the cost of each instruction and its effect on the ranges. Instances are used for one
/// pass.
final class Interpreter {
  private static final Bound ONE = new Bound(1, 0);

  private final Method method;
  private final Host host;
  private final Pass pass;
  private final Values values;
  private final Operators operators;
  private final Conditions conditions;
  private final Calls calls;
  private final Objects objects;
  private final Bootstraps bootstraps;

  Interpreter(Method method, Host host, Pass pass) {
    this.method = method;
    this.host = host;
    this.pass = pass;
    this.values = method.values();
    this.operators = new Operators(values);
    this.conditions = new Conditions(values);
    this.calls = new Calls(host, method.info(), values, pass);
    this.objects = new Objects(host, values, pass);
    this.bootstraps = new Bootstraps(host, values, pass);
  }

  /// Evaluates one instruction. For branches and switches, only the operands are popped.
  void run(int at, int block, State state) throws Refused {
    Instruction instruction = method.code().at(at);
    pass.charge(block, ONE);
    beside(instruction, at, block);
    switch (instruction) {
      case LoadInstruction load -> load(load, state);
      case StoreInstruction store -> store(block, store.slot(), store.typeKind(), state);
      case IncrementInstruction increment -> increment(block, increment, state);
      case ConstantInstruction constant -> constant(constant, state);
      case OperatorInstruction operator -> operator(operator, state);
      case ConvertInstruction conversion -> state.push(operators.convert(conversion, state.pop()));
      case StackInstruction stack -> StackOperations.run(stack.opcode(), state);
      case ArrayLoadInstruction load -> arrayLoad(load, state);
      case ArrayStoreInstruction store -> arrayStore(store, at, state);
      case BranchInstruction branch -> popOperands(branch, state);
      case TableSwitchInstruction _, LookupSwitchInstruction _ -> state.pop();
      case ReturnInstruction exit -> leave(exit, state);
      case ThrowInstruction _ -> state.pop();
      case TypeCheckInstruction check -> typeCheck(check, state);
      case NopInstruction _ -> {}
      case MonitorInstruction _ -> {
        state.pop();
        pass.refuse(new Refused(Reason.MONITOR, at, "it enters or leaves a monitor"));
      }
      case InvokeInstruction call -> calls.invoke(call, state, at, block);
      case InvokeDynamicInstruction call -> bootstraps.invoke(call, state, at, block);
      case FieldInstruction field -> objects.field(field, at, state);
      case NewObjectInstruction creation -> objects.create(creation, at, block, state);
      case NewPrimitiveArrayInstruction array ->
          objects.array(state, array.typeKind().slotSize() == 2 ? 8 : width(array), at, block);
      case NewReferenceArrayInstruction _ -> objects.array(state, 8, at, block);
      case NewMultiArrayInstruction array -> objects.arrays(array.dimensions(), state, at, block);
      default -> throw new Refused(Reason.SUBROUTINE, at, "it calls a subroutine (jsr, ret)");
    }
  }

  /// Charges the methods that the instruction executes implicitly.
  private void beside(Instruction instruction, int at, int block) throws Refused {
    Gate.Passage passage = host.gate().of(method.info().owner(), instruction);
    if (passage != Gate.Passage.NONE && !pass.wasCharged(passage)) {
      host.steps().take(passage.initializers().size());
      try {
        passage.charge(pass, at, block);
      } catch (Refused e) {
        pass.refuse(e);
      }
    }
  }

  private static int width(NewPrimitiveArrayInstruction array) {
    return switch (array.typeKind()) {
      case BYTE, BOOLEAN -> 1;
      case SHORT, CHAR -> 2;
      default -> 4;
    };
  }

  private void load(LoadInstruction load, State state) {
    Kind kind = Kind.of(load.typeKind());
    Value value = state.local(load.slot());
    state.push(value.kind() == kind ? value : values.unknown(kind));
  }

  private void store(int block, int slot, TypeKind type, State state) throws Refused {
    assign(block, slot, state.pop(), state);
    if (type.slotSize() == 2) {
      assign(block, slot + 1, values.unknown(Kind.NONE), state);
    }
  }

  private void assign(int block, int slot, Value value, State state) throws Refused {
    Update update = Update.of(block, state.local(slot), value);
    Loop around = method.forest().around(block);
    for (Loop loop = around; loop != null; loop = loop.parent()) {
      host.steps().take(1);
      LoopVariable variable = loop.variable(slot);
      if (variable != null) {
        variable.add(update);
      }
    }
    state.setLocal(slot, value);
  }

  private void increment(int block, IncrementInstruction increment, State state) throws Refused {
    Value before = state.local(increment.slot());
    Value step = values.constant(Kind.INT, increment.constant());
    Value after =
        before.kind() == Kind.INT
            ? values.made(
                Kind.INT, Range.add(Kind.INT, before, step), Value.Operation.ADD, before, step)
            : values.unknown(Kind.INT);
    assign(block, increment.slot(), after, state);
  }

  private void constant(ConstantInstruction constant, State state) {
    if (constant instanceof ConstantInstruction.LoadConstantInstruction load
        && load.constantEntry() instanceof DynamicConstantPoolEntry) {
      state.push(values.unknown(Kind.of(load.typeKind()))); // refused by the gate
      return;
    }
    Kind kind = Kind.of(constant.typeKind());
    state.push(
        switch (constant.constantValue()) {
          case Integer number -> values.constant(kind, number);
          case Long number -> values.constant(kind, number);
          case String text -> values.range(kind, text.length(), text.length());
          // This is null, a class or a method handle, none of which has a length.
          default -> kind == Kind.REFERENCE ? values.range(kind, 0, 0) : values.unknown(kind);
        });
  }

  private void operator(OperatorInstruction operator, State state) throws Refused {
    Value last = state.pop();
    state.push(
        Operators.hasOneOperand(operator.opcode())
            ? operators.unary(operator, last)
            : operators.binary(operator, state.pop(), last));
  }

  private void arrayLoad(ArrayLoadInstruction load, State state) throws Refused {
    Value index = state.pop();
    Value array = state.pop();
    inBounds(array, index, state);
    state.push(values.stored(load.typeKind()));
  }

  private void arrayStore(ArrayStoreInstruction store, int at, State state) throws Refused {
    Value value = state.pop();
    Value index = state.pop();
    Value array = state.pop();
    inBounds(array, index, state);
    if (store.typeKind() == TypeKind.REFERENCE) {
      handOn(value, "Ljava/lang/Object;", at);
    }
  }

  private void handOn(Value value, String descriptor, int at) {
    try {
      Escape.check(value, descriptor, host.limits(), at);
    } catch (Refused e) {
      pass.refuse(e);
    }
  }

  /// Restricts an index to the length of the array, because an access outside of the array throws
  /// an exception.
  private void inBounds(Value array, Value index, State state) {
    if (index.kind() == Kind.INT) {
      long last = Math.min(array.high(), values.maxLength()) - 1;
      conditions.within(state, index, 0, last, false, 3);
    }
  }

  private static void popOperands(BranchInstruction branch, State state) throws Refused {
    switch (branch.opcode()) {
      case GOTO, GOTO_W -> {}
      case IFEQ, IFNE, IFLT, IFGE, IFGT, IFLE, IFNULL, IFNONNULL -> state.pop();
      default -> {
        state.pop();
        state.pop();
      }
    }
  }

  private void leave(ReturnInstruction exit, State state) throws Refused {
    if (exit.typeKind() != TypeKind.VOID) {
      pass.returns(state.pop(), values);
    }
  }

  private void typeCheck(TypeCheckInstruction check, State state) throws Refused {
    if (check.opcode() == java.lang.classfile.Opcode.INSTANCEOF) {
      state.pop();
      state.push(values.range(Kind.INT, 0, 1));
    } else {
      state.peek();
    }
  }
}
