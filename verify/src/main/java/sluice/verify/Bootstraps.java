package sluice.verify;

import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.DoubleEntry;
import java.lang.classfile.constantpool.FloatEntry;
import java.lang.classfile.constantpool.IntegerEntry;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.LoadableConstantEntry;
import java.lang.classfile.constantpool.LongEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import sluice.verify.value.Kind;
import sluice.verify.value.Value;
import sluice.verify.value.Values;

/// Evaluates the `invokedynamic` instructions that javac generates: string concatenation and
/// lambdas. The cost of linking at the first execution is not counted. Used for one pass.
final class Bootstraps {
  private static final int STRING_BYTES = 64;

  /// The cost of a character of a Latin-1 string that becomes part of a UTF-16 string.
  private static final int PER_CHAR = 50;

  private static final int NUMBER_CHARS = 26; // the length of the longest double

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
    InvokeDynamicEntry entry = call.invokedynamic();
    Value result = Site.result(type.returnType(), values);
    try {
      if (isLambda(entry)) {
        lambda(type, arguments, at, block);
      } else if (isOf(entry, "StringConcatFactory", "makeConcat", "makeConcatWithConstants")) {
        result = concatenation(type, arguments, entry.bootstrap().arguments(), at, block);
      } else {
        throw new Refused(
            Reason.BOOTSTRAP,
            at,
            "invokedynamic of " + call.bootstrapMethod().owner().displayName());
      }
    } catch (Refused e) {
      pass.refuse(e);
    }
    if (result.kind() != Kind.NONE) {
      state.push(result);
    }
  }

  static boolean isLambda(InvokeDynamicEntry call) {
    return isOf(call, "LambdaMetafactory", "metafactory", "altMetafactory");
  }

  private static boolean isOf(InvokeDynamicEntry call, String owner, String... names) {
    MemberRefEntry method = call.bootstrap().bootstrapMethod().reference();
    return method.owner().asInternalName().equals("java/lang/invoke/" + owner)
        && List.of(names).contains(method.name().stringValue());
  }

  private Value concatenation(
      MethodTypeDesc type,
      Value[] arguments,
      List<LoadableConstantEntry> constants,
      int at,
      int block)
      throws Refused {
    long chars = 0;
    for (LoadableConstantEntry constant : constants) {
      chars +=
          switch (constant) {
            case StringEntry text -> text.stringValue().length();
            case IntegerEntry _, LongEntry _, FloatEntry _, DoubleEntry _ -> NUMBER_CHARS;
            default ->
                throw new Refused(
                    Reason.BOOTSTRAP, at, "a constant in a string is neither string nor number");
          };
    }
    long work = 200;
    for (int i = 0; i < arguments.length; i++) {
      ClassDesc parameter = type.parameterType(i);
      work += work(TypeKind.from(parameter));
      if (parameter.isPrimitive()) {
        chars = Bound.add(chars, NUMBER_CHARS);
      } else if (parameter.descriptorString().equals("Ljava/lang/String;")) {
        chars = Bound.add(chars, Math.max(4, arguments[i].high())); // null takes four characters
      } else {
        throw new Refused(
            Reason.UNKNOWN_CALL, at, "toString of " + parameter.displayName() + " in a string");
      }
    }
    if (chars > Integer.MAX_VALUE) {
      throw new Refused(Reason.LENGTH, at, "a string without a limit is put together");
    }
    work = Bound.add(work, Bound.multiply(PER_CHAR, chars));
    long bytes = Bound.add(STRING_BYTES * (arguments.length + 1L), Bound.multiply(8, chars));
    pass.charge(block, new Bound(work, bytes));
    return values.range(Kind.REFERENCE, 0, chars);
  }

  /// Returns the cost of formatting one value: the measured cost on JDK 25 times 1.5.
  private static int work(TypeKind type) {
    return switch (type) {
      case DOUBLE -> 3_200;
      case FLOAT -> 2_100;
      case LONG -> 1_700;
      case INT, SHORT, BYTE -> 1_000;
      default -> 500;
    };
  }

  private void lambda(MethodTypeDesc type, Value[] captured, int at, int block) throws Refused {
    List<ClassDesc> parameters = type.parameterList();
    for (int i = 0; i < captured.length; i++) {
      Escape.check(captured[i], parameters.get(i).descriptorString(), host.limits(), at);
    }
    pass.charge(block, new Bound(60 + 4L * captured.length, 16 + 8L * captured.length));
  }
}
