package sluice.verify;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// A call site, which consists of the called method and its arguments. The receiver is the first
/// argument.
///
/// @param at the index of the instruction
/// @param block the block of the instruction
/// @param owner the internal name of the class
@SuppressWarnings("ArrayRecordComponent") // never compared
record Site(int at, int block, String owner, String name, String descriptor, Value[] arguments) {
  String signature() {
    return name + descriptor;
  }

  /// Returns the name for messages, such as `java.lang.Math.min`.
  String shown() {
    return owner.replace('/', '.') + "." + name;
  }

  /// Pops the arguments of a call from the stack.
  static Value[] pop(State state, MethodTypeDesc type, boolean hasReceiver) throws Refused {
    int count = type.parameterCount() + (hasReceiver ? 1 : 0);
    Value[] arguments = new Value[count];
    for (int i = count - 1; i >= 0; i--) {
      arguments[i] = state.pop();
    }
    return arguments;
  }

  /// Refuses a string argument that may be longer than declared.
  void checkArguments(List<ClassDesc> parameters, Limits limits) throws Refused {
    int first = arguments.length - parameters.size();
    for (int i = 0; i < parameters.size(); i++) {
      Escape.check(arguments[first + i], parameters.get(i).descriptorString(), limits, at);
    }
  }

  /// Returns a result of which only the type is known.
  static Value result(ClassDesc type, Values values) {
    TypeKind kind = TypeKind.from(type);
    return values.stored(kind);
  }
}
