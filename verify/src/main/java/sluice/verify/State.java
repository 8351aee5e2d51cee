package sluice.verify;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// The local variables and the operand stack at one point of a method. A `long` or `double`
/// occupies one entry of the stack but two local variables, the second of which is unreadable.
/// Instances are used for one analysis.
final class State {
  private final Value[] locals;
  private Value[] stack;
  private int depth;

  State(Value[] locals, Value[] stack, int depth) {
    this.locals = locals;
    this.stack = stack;
    this.depth = depth;
  }

  State copy() {
    return new State(locals.clone(), Arrays.copyOf(stack, depth), depth);
  }

  /// Returns the state at an exception handler, where the stack contains only the exception.
  State atHandler(Value exception) {
    return new State(locals.clone(), new Value[] {exception}, 1);
  }

  /// Returns the number of steps that are required to copy or join this state.
  int size() {
    return locals.length + depth + 1;
  }

  Value local(int slot) {
    return locals[slot];
  }

  void setLocal(int slot, Value value) {
    locals[slot] = value;
  }

  int depth() {
    return depth;
  }

  void push(Value value) {
    if (depth == stack.length) {
      stack = Arrays.copyOf(stack, Math.max(8, depth * 2));
    }
    stack[depth++] = value;
  }

  Value pop() throws Refused {
    return stack[checked(1)];
  }

  Value peek() throws Refused {
    Value top = pop();
    push(top);
    return top;
  }

  private int checked(int count) throws Refused {
    if (depth < count) {
      throw new Refused(Reason.MALFORMED, -1, "an instruction takes more than is on the stack");
    }
    depth -= count;
    return depth;
  }

  /// Replaces the values on the stack with unknown values. This method is called at the head of a
  /// loop, where the values are not known.
  void forgetStack(Values values) {
    for (int i = 0; i < depth; i++) {
      stack[i] = values.unknown(stack[i].kind());
    }
  }

  /// Joins this state with the state of another path to the same point.
  void join(State other, Values values) throws Refused {
    if (depth != other.depth) {
      throw new Refused(Reason.MALFORMED, -1, "two paths meet with stacks of different depth");
    }
    for (int i = 0; i < locals.length; i++) {
      locals[i] = values.join(locals[i], other.locals[i]);
    }
    for (int i = 0; i < depth; i++) {
      stack[i] = values.join(stack[i], other.stack[i]);
    }
  }

  /// Returns a value with the range that is known in this state, or null if the value is not in any
  /// slot.
  @Nullable Value find(Value value) {
    for (Value local : locals) {
      if (local.is(value)) {
        return local;
      }
    }
    for (int i = 0; i < depth; i++) {
      if (stack[i].is(value)) {
        return stack[i];
      }
    }
    return null;
  }

  /// Narrows the range of a value.
  ///
  /// @return false if this is impossible, which means that this point is never reached
  boolean narrow(Value value, long low, long high, boolean nonZero) {
    Value known = find(value);
    if (known == null) {
      known = value;
    }
    long newLow = Math.max(known.low(), low);
    long newHigh = Math.min(known.high(), high);
    boolean isZero = newLow == 0 && newHigh == 0;
    if (newLow > newHigh || (isZero && (nonZero || known.nonZero()))) {
      return false;
    }
    Value better = known.narrowed(newLow, newHigh, nonZero);
    replace(locals, locals.length, better);
    replace(stack, depth, better);
    return true;
  }

  private static void replace(Value[] slots, int count, Value better) {
    for (int i = 0; i < count; i++) {
      if (slots[i].is(better)) {
        slots[i] = better;
      }
    }
  }
}
