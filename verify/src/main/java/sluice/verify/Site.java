package sluice.verify;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// One call: the method it names and the arguments, the receiver first.
///
/// @param at index of the instruction
/// @param block that it ends or is in
/// @param owner internal name
@SuppressWarnings("ArrayRecordComponent") // never compared
record Site(int at, int block, String owner, String name, String descriptor, Value[] arguments) {
  String signature() {
    return name + descriptor;
  }

  /// As it is shown: `java.lang.Math.min`.
  String shown() {
    return owner.replace('/', '.') + "." + name;
  }

  /// Takes the arguments from the stack.
  static Value[] pop(State state, MethodTypeDesc type, boolean hasReceiver) throws Refused {
    int count = type.parameterCount() + (hasReceiver ? 1 : 0);
    Value[] arguments = new Value[count];
    for (int i = count - 1; i >= 0; i--) {
      arguments[i] = state.pop();
    }
    return arguments;
  }

  /// Refuses an argument that is too long for a method which relies on the declared length.
  void checkArguments(List<ClassDesc> parameters, Limits limits) throws Refused {
    int first = arguments.length - parameters.size();
    for (int i = 0; i < parameters.size(); i++) {
      Escape.check(arguments[first + i], parameters.get(i).descriptorString(), limits, at);
    }
  }

  /// What the call leaves if nothing is known but its type.
  static Value result(ClassDesc type, Values values) {
    TypeKind kind = TypeKind.from(type);
    return values.stored(kind);
  }
}
