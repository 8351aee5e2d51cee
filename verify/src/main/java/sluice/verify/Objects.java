package sluice.verify;

import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// Evaluates field accesses and allocations. Instances are used for one pass.
final class Objects {
  private final Host host;
  private final Values values;
  private final Pass pass;

  Objects(Host host, Values values, Pass pass) {
    this.host = host;
    this.values = values;
    this.pass = pass;
  }

  void field(FieldInstruction field, int at, State state) throws Refused {
    String descriptor = field.type().stringValue();
    Opcode opcode = field.opcode();
    if (opcode == Opcode.PUTFIELD || opcode == Opcode.PUTSTATIC) {
      Value value = state.pop();
      refuseOr(at, () -> Escape.check(value, descriptor, host.limits(), at));
    }
    if (opcode == Opcode.GETFIELD || opcode == Opcode.PUTFIELD) {
      state.pop();
    }
    if (opcode == Opcode.GETSTATIC && descriptor.equals("Ljava/lang/String;")) {
      state.push(values.range(Kind.REFERENCE, 0, host.longestInField()));
    } else if (opcode == Opcode.GETFIELD || opcode == Opcode.GETSTATIC) {
      state.push(values.stored(TypeKind.fromDescriptor(descriptor)));
    }
  }

  void create(NewObjectInstruction creation, int at, int block, State state) {
    String owner = creation.className().asInternalName();
    refuseOr(
        at,
        () -> {
          ClassInfo type = host.find(owner);
          long bytes = type == null ? 0 : host.objectBytes(type);
          pass.charge(block, new Bound(bytes / 8, bytes));
        });
    state.push(values.range(Kind.REFERENCE, 0, values.maxLength()));
  }

  /// Evaluates the creation of an array whose length is on the stack.
  ///
  /// @param width the size of an element in bytes
  void array(State state, int width, int at, int block) throws Refused {
    Value count = state.pop();
    long most = length(count, at);
    long bytes = Bound.add(24, Bound.multiply(width, most));
    pass.charge(block, new Bound(bytes / 8, bytes));
    long least = count.kind() == Kind.INT ? Math.min(Math.max(0, count.low()), most) : 0;
    state.push(values.range(Kind.REFERENCE, least, most));
  }

  /// Evaluates the creation of a multi-dimensional array.
  void arrays(int dimensions, State state, int at, int block) throws Refused {
    long[] counts = new long[dimensions];
    for (int i = dimensions - 1; i >= 0; i--) {
      counts[i] = length(state.pop(), at);
    }
    long made = 1;
    long bytes = 0;
    for (long count : counts) {
      long each = Bound.add(24, Bound.multiply(8, count));
      bytes = Bound.add(bytes, Bound.multiply(made, each));
      made = Bound.multiply(made, count);
    }
    pass.charge(block, new Bound(bytes / 8, bytes));
    state.push(values.range(Kind.REFERENCE, 0, counts.length == 0 ? 0 : counts[0]));
  }

  /// Returns the maximum length of a new array. If the array may be longer than declared, the
  /// method is refused, so that arrays are never longer than declared.
  private long length(Value count, int at) {
    long most = count.kind() == Kind.INT ? Math.max(0, count.high()) : Integer.MAX_VALUE;
    if (most > values.maxLength()) {
      pass.refuse(
          new Refused(
              Reason.LENGTH,
              at,
              "an array of up to " + most + " elements; declared are " + values.maxLength()));
      return values.maxLength();
    }
    return most;
  }

  /// A check that may refuse the method.
  private interface Check {
    void run() throws Refused;
  }

  private void refuseOr(int at, Check check) {
    try {
      check.run();
    } catch (Refused e) {
      pass.refuse(e.at() >= 0 ? e : new Refused(e.reason(), at, e.why()));
    }
  }
}
