package sluice.verify;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// Generates the called method of [RandomEdge]: statements that cause work outside of their own
/// bytecodes, and loops whose limits are results of such statements or of JDK methods. An instance
/// belongs to the test's thread.
final class RandomEdgeBody {
  private static final ClassDesc STRING = ConstantDescs.CD_String;
  private static final ClassDesc BYTES = ConstantDescs.CD_byte.arrayType();
  private static final ClassDesc LONG_NAME =
      ClassDesc.of("java.lang.classfile.attribute.RuntimeVisibleParameterAnnotationsAttribute");
  private static final int ARRAY = 2; // 0 and 1 are ints
  private static final int TEXT = 3;
  private static final int NUMBER = 4; // the result of the last statement
  private static final int OTHER = 5; // a string that may be longer than declared
  private static final int COUNTER = 6;
  private static final int OBJECT = 7;
  private static final int[] EXTREMES = {
    0, 1, -1, 7, 24, 25, 90, 255, 256, 65_536, Integer.MIN_VALUE, Integer.MAX_VALUE
  };

  private final RandomGenerator random;

  RandomEdgeBody(RandomGenerator random) {
    this.random = random;
  }

  void write(CodeBuilder code) {
    code.iconst_0().istore(NUMBER).aload(TEXT).astore(OTHER);
    code.aconst_null().astore(OBJECT);
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      statement(code);
      if (random.nextInt(3) > 0) {
        loop(code);
      }
    }
    code.iload(NUMBER).ireturn();
  }

  private void statement(CodeBuilder code) {
    switch (random.nextInt(15)) {
      case 0, 1 ->
          code.getstatic(anyOwner(), random.nextBoolean() ? "a" : "b", ConstantDescs.CD_int)
              .istore(NUMBER);
      case 2 -> code.getstatic(anyOwner(), "s", STRING).astore(OTHER);
      case 3 -> code.iload(0).putstatic(anyOwner(), "a", ConstantDescs.CD_int);
      case 4 -> create(code);
      case 5 -> {
        int number = random.nextInt(RandomEdge.TYPES);
        code.invokestatic(
                RandomEdge.type(number), "w", RandomEdge.INT, number < RandomEdge.INTERFACES)
            .istore(NUMBER);
      }
      case 6 -> lambda(code);
      case 7, 8 -> concatenation(code);
      case 9 -> {
        if (random.nextInt(3) == 0) {
          code.loadConstant(made()).istore(NUMBER);
        }
      }
      case 10 -> code.loadConstant("t".repeat(random.nextInt(90))).astore(OTHER);
      case 11 -> enumeration(code);
      case 12 -> ofText(code);
      case 13 -> identity(code);
      default -> ofNumbers(code);
    }
  }

  private ClassDesc anyOwner() {
    int pick = random.nextInt(RandomEdge.TYPES + 2);
    return pick < RandomEdge.TYPES ? RandomEdge.type(pick) : RandomEdge.MAIN;
  }

  private void create(CodeBuilder code) {
    ClassDesc type = RandomEdge.type(random.nextInt(RandomEdge.INTERFACES, RandomEdge.TYPES));
    code.new_(type).dup().invokespecial(type, "<init>", RandomEdge.VOID);
    if (random.nextBoolean()) {
      code.invokevirtual(type, "m", RandomEdge.INT).istore(NUMBER);
    } else {
      code.astore(OBJECT);
    }
  }

  private static DynamicConstantDesc<?> made() {
    DirectMethodHandleDesc boot =
        MethodHandleDesc.ofMethod(
            DirectMethodHandleDesc.Kind.STATIC, RandomEdge.MAIN, "boot", RandomEdge.BOOT);
    return DynamicConstantDesc.ofNamed(boot, "x", ConstantDescs.CD_int);
  }

  private void lambda(CodeBuilder code) {
    ClassDesc type = RandomEdge.type(random.nextInt(RandomEdge.INTERFACES));
    DirectMethodHandleDesc body =
        MethodHandleDesc.ofMethod(
            DirectMethodHandleDesc.Kind.STATIC, RandomEdge.MAIN, "nothing", RandomEdge.VOID);
    ClassDesc factory = ClassDesc.of("java.lang.invoke.LambdaMetafactory");
    MethodTypeDesc site = MethodTypeDesc.of(type);
    DynamicCallSiteDesc call;
    if (random.nextBoolean()) {
      DirectMethodHandleDesc plain =
          ConstantDescs.ofCallsiteBootstrap(
              factory,
              "metafactory",
              ConstantDescs.CD_CallSite,
              ConstantDescs.CD_MethodType,
              ConstantDescs.CD_MethodHandle,
              ConstantDescs.CD_MethodType);
      call = DynamicCallSiteDesc.of(plain, "sam", site, RandomEdge.VOID, body, RandomEdge.VOID);
    } else {
      DirectMethodHandleDesc alternative =
          ConstantDescs.ofCallsiteBootstrap(
              factory,
              "altMetafactory",
              ConstantDescs.CD_CallSite,
              ConstantDescs.CD_Object.arrayType());
      ClassDesc marker = RandomEdge.type(random.nextInt(RandomEdge.INTERFACES));
      call =
          DynamicCallSiteDesc.of(
              alternative,
              "sam",
              site,
              new ConstantDesc[] {RandomEdge.VOID, body, RandomEdge.VOID, 2, 1, marker});
    }
    code.invokedynamic(call).astore(OBJECT);
  }

  private void concatenation(CodeBuilder code) {
    StringBuilder recipe = new StringBuilder("\1");
    List<ConstantDesc> constants = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      recipe.append('\2');
      constants.add(
          switch (random.nextInt(6)) {
            case 0 -> random.nextInt();
            case 1 -> LONG_NAME;
            case 2 -> made();
            case 3 -> random.nextDouble();
            default -> "\2c".repeat(random.nextInt(40));
          });
    }
    constants.addFirst(recipe.append("r".repeat(random.nextInt(30))).toString());
    DirectMethodHandleDesc boot =
        ConstantDescs.ofCallsiteBootstrap(
            ClassDesc.of("java.lang.invoke.StringConcatFactory"),
            "makeConcatWithConstants",
            ConstantDescs.CD_CallSite,
            STRING,
            ConstantDescs.CD_Object.arrayType());
    code.aload(random.nextBoolean() ? TEXT : OTHER)
        .invokedynamic(
            DynamicCallSiteDesc.of(
                boot,
                "makeConcatWithConstants",
                MethodTypeDesc.of(STRING, STRING),
                constants.toArray(new ConstantDesc[0])))
        .astore(OTHER);
  }

  /// Writes code that uses the ordinal or the name of a class that only looks like an `enum`.
  private void enumeration(CodeBuilder code) {
    ClassDesc owner = random.nextBoolean() ? RandomEdge.ENUM : ClassDesc.of("java.lang.Enum");
    code.new_(RandomEdge.ENUM).dup().aload(random.nextBoolean() ? TEXT : OTHER);
    code.loadConstant(EXTREMES[random.nextInt(EXTREMES.length)]);
    code.invokespecial(RandomEdge.ENUM, "<init>", RandomEdge.NAMED);
    if (random.nextBoolean()) {
      code.invokevirtual(owner, "ordinal", RandomEdge.INT).istore(NUMBER);
    } else {
      code.invokevirtual(owner, "name", MethodTypeDesc.of(STRING)).astore(OTHER);
    }
  }

  /// Writes a call of a method that returns its argument.
  private void identity(CodeBuilder code) {
    ClassDesc any = ConstantDescs.CD_Object;
    code.aload(OTHER)
        .invokestatic(
            ClassDesc.of("java.util.Objects"), "requireNonNull", MethodTypeDesc.of(any, any))
        .checkcast(STRING)
        .astore(OTHER);
  }

  private void ofText(CodeBuilder code) {
    code.aload(random.nextInt(3) == 0 ? TEXT : OTHER);
    switch (random.nextInt(9)) {
      case 0 -> text(code, "length", "()I").istore(NUMBER);
      case 1 -> text(code.loadConstant('s'), "indexOf", "(I)I").istore(NUMBER);
      case 2 -> text(code.loadConstant('s'), "lastIndexOf", "(I)I").istore(NUMBER);
      case 3 -> text(code, "toCharArray", "()[C").arraylength().istore(NUMBER);
      case 4 -> text(code.iload(1), "substring", "(I)Ljava/lang/String;").astore(OTHER);
      case 5 ->
          text(code.aload(OTHER), "concat", "(Ljava/lang/String;)Ljava/lang/String;").astore(OTHER);
      case 6 -> text(code, "trim", "()Ljava/lang/String;").astore(OTHER);
      case 7 -> text(code, "hashCode", "()I").istore(NUMBER);
      default -> {
        int index = random.nextInt(2);
        text(code.iload(index), "charAt", "(I)C").pop();
        code.iload(index).istore(NUMBER);
      }
    }
  }

  private static CodeBuilder text(CodeBuilder code, String name, String descriptor) {
    return code.invokevirtual(STRING, name, MethodTypeDesc.ofDescriptor(descriptor));
  }

  private void ofNumbers(CodeBuilder code) {
    String[][] calls = {
      {"Math", "abs", "(I)I"},
      {"Integer", "bitCount", "(I)I"},
      {"Integer", "numberOfLeadingZeros", "(I)I"},
      {"Integer", "numberOfTrailingZeros", "(I)I"},
      {"Integer", "highestOneBit", "(I)I"},
      {"Integer", "reverseBytes", "(I)I"},
      {"Byte", "toUnsignedInt", "(B)I"},
      {"Short", "toUnsignedInt", "(S)I"},
      {"Short", "reverseBytes", "(S)S"},
      {"Integer", "compare", "(II)I"},
      {"Integer", "compareUnsigned", "(II)I"},
      {"Integer", "rotateLeft", "(II)I"},
      {"Math", "floorMod", "(II)I"},
      {"Math", "min", "(II)I"},
      {"Math", "max", "(II)I"},
    };
    int pick = random.nextInt(calls.length + 1);
    if (pick == calls.length) {
      code.aload(ARRAY)
          .iload(0)
          .loadConstant(31)
          .iand()
          .invokestatic(
              ClassDesc.of("java.util.Arrays"),
              "copyOf",
              MethodTypeDesc.of(BYTES, BYTES, ConstantDescs.CD_int))
          .arraylength()
          .istore(NUMBER);
      return;
    }
    String[] call = calls[pick];
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(call[2]);
    for (int i = 0; i < type.parameterCount(); i++) {
      if (random.nextBoolean()) {
        code.iload(random.nextBoolean() ? 0 : NUMBER);
      } else {
        code.loadConstant(EXTREMES[random.nextInt(EXTREMES.length)]);
      }
    }
    code.invokestatic(ClassDesc.of("java.lang." + call[0]), call[1], type).istore(NUMBER);
  }

  /// Writes a loop up to a number or length that comes from outside, or from there to a constant.
  private void loop(CodeBuilder code) {
    Label head = code.newLabel();
    Label end = code.newLabel();
    int form = random.nextInt(4);
    if (form == 0) {
      code.iload(NUMBER);
    } else {
      code.iconst_0();
    }
    code.istore(COUNTER).labelBinding(head).iload(COUNTER);
    switch (form) {
      case 0 -> code.loadConstant(100);
      case 1 -> code.iload(NUMBER);
      default -> text(code.aload(OTHER), "length", "()I");
    }
    code.if_icmpge(end);
    for (int i = 0; i < 12; i++) {
      code.nop();
    }
    code.iinc(COUNTER, 1).goto_(head).labelBinding(end);
  }
}
