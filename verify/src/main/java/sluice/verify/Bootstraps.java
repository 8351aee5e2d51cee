package sluice.verify;

import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// The `invokedynamic` instructions that javac writes: strings put together, and lambdas. Linking
/// one, the first time, is not counted. Of one pass.
final class Bootstraps {
  private static final int STRING_BYTES = 64;
  private static final int NUMBER_CHARS = 26; // the longest, of a double

  private final Host host;
  private final Values values;
  private final Pass pass;

  Bootstraps(Host host, Values values, Pass pass) {
    this.host = host;
    this.values = values;
    this.pass = pass;
  }

  void invoke(InvokeDynamicInstruction call, State state, int at, int block) throws Refused {
    MethodTypeDesc type = call.typeSymbol();
    Value[] arguments = Site.pop(state, type, false);
    DirectMethodHandleDesc bootstrap = call.bootstrapMethod();
    String name = bootstrap.owner().descriptorString() + "." + bootstrap.methodName();
    Value result = Site.result(type.returnType(), values);
    try {
      switch (name) {
        case "Ljava/lang/invoke/StringConcatFactory;.makeConcatWithConstants",
            "Ljava/lang/invoke/StringConcatFactory;.makeConcat" ->
            result = concatenation(type, arguments, call.bootstrapArgs(), at, block);
        case "Ljava/lang/invoke/LambdaMetafactory;.metafactory",
            "Ljava/lang/invoke/LambdaMetafactory;.altMetafactory" ->
            lambda(type, arguments, at, block);
        default ->
            throw new Refused(
                Reason.BOOTSTRAP, at, "invokedynamic of " + bootstrap.owner().displayName());
      }
    } catch (Refused e) {
      pass.refuse(e);
    }
    if (result.kind() != Kind.NONE) {
      state.push(result);
    }
  }

  private Value concatenation(
      MethodTypeDesc type, Value[] arguments, List<ConstantDesc> constants, int at, int block)
      throws Refused {
    long chars = 0;
    for (ConstantDesc constant : constants) {
      chars += constant instanceof String text ? text.length() : NUMBER_CHARS;
    }
    for (int i = 0; i < arguments.length; i++) {
      ClassDesc parameter = type.parameterType(i);
      if (parameter.isPrimitive()) {
        chars = Bound.add(chars, NUMBER_CHARS);
      } else if (parameter.descriptorString().equals("Ljava/lang/String;")) {
        chars = Bound.add(chars, Math.max(4, arguments[i].high())); // null is four letters
      } else {
        throw new Refused(
            Reason.UNKNOWN_CALL, at, "toString of " + parameter.displayName() + " in a string");
      }
    }
    if (chars > Integer.MAX_VALUE) {
      throw new Refused(Reason.LENGTH, at, "a string without a limit is put together");
    }
    long work = Bound.add(100L * (arguments.length + 1), Bound.multiply(4, chars));
    long bytes = Bound.add(STRING_BYTES * (arguments.length + 1L), Bound.multiply(8, chars));
    pass.charge(block, new Bound(work, bytes));
    return values.range(Kind.REFERENCE, 0, chars);
  }

  private void lambda(MethodTypeDesc type, Value[] captured, int at, int block) throws Refused {
    List<ClassDesc> parameters = type.parameterList();
    for (int i = 0; i < captured.length; i++) {
      Escape.check(captured[i], parameters.get(i).descriptorString(), host.limits(), at);
    }
    pass.charge(block, new Bound(10 + captured.length, 16 + 8L * captured.length));
  }
}
