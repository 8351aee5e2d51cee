package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Tests work that is neither in a method's own bytecodes nor in the methods it names, such as
/// initializers. Such work is either counted or refused.
@SuppressWarnings("NullAway") // a null fails the test
final class HostileEdgesTest {
  private static final ClassDesc ANY = ConstantDescs.CD_Object;
  private static final ClassDesc STRING = ConstantDescs.CD_String;
  private static final ClassDesc NUMBER = ConstantDescs.CD_int;
  private static final MethodTypeDesc VOID = ConstantDescs.MTD_void;
  private static final MethodTypeDesc INT = MethodTypeDesc.of(NUMBER);
  private static final MethodTypeDesc INT_INT = MethodTypeDesc.of(NUMBER, NUMBER);
  private static final int PUBLIC = ClassFile.ACC_PUBLIC;
  private static final int STATIC = PUBLIC | ClassFile.ACC_STATIC;
  private static final int INTERFACE = PUBLIC | ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT;
  private static final ClassDesc ENDLESS = ClassDesc.of("p.Endless");
  private static final ClassDesc CALLER = ClassDesc.of("p.Caller");
  private static final int LONG = 60_000;

  private final Component component = new Component();

  private MethodVerdict verdict(String method) {
    return Verifier.verify(component, CostTable.standard(), Limits.DEFAULT).verdicts().stream()
        .filter(v -> v.method().startsWith(method + "("))
        .findFirst()
        .orElseThrow();
  }

  private Reason reason(String method) {
    Refusal refusal = verdict(method).refusal();
    return refusal == null ? null : refusal.reason();
  }

  private void add(ClassDesc name, Consumer<? super ClassBuilder> body) {
    component.add(name.displayName(), ClassFile.of().build(name, body));
  }

  private void caller(MethodTypeDesc type, Consumer<? super CodeBuilder> body) {
    add(CALLER, c -> c.withMethodBody("call", type, STATIC, body));
  }

  private static void forever(CodeBuilder code) {
    Label head = code.newBoundLabel();
    code.goto_(head);
  }

  private static void field(ClassBuilder c, String name, int flags) {
    c.withField(name, NUMBER, flags);
  }

  private static void constructor(ClassBuilder c, ClassDesc above) {
    c.withMethodBody(
        "<init>",
        VOID,
        PUBLIC,
        code -> code.aload(0).invokespecial(above, "<init>", VOID).return_());
  }

  private void endlessInterface(boolean hasDefault) {
    add(
        ENDLESS,
        c -> {
          c.withFlags(INTERFACE);
          field(c, "LIMIT", STATIC | ClassFile.ACC_FINAL);
          c.withMethodBody("<clinit>", VOID, ClassFile.ACC_STATIC, HostileEdgesTest::forever);
          if (hasDefault) {
            c.withMethodBody("m", VOID, PUBLIC, CodeBuilder::return_);
          }
        });
  }

  @Test
  void aConstantOfAnInterfaceThatTheCallerImplementsIsOfTheInterface() {
    endlessInterface(false);
    add(
        CALLER,
        c ->
            c.withInterfaceSymbols(ENDLESS)
                .withMethodBody(
                    "call",
                    INT,
                    STATIC,
                    code -> code.getstatic(CALLER, "LIMIT", NUMBER).ireturn()));
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
    assertThat(verdict("call").refusal().why()).contains("initializer of p.Endless");
  }

  @Test
  void aFieldThatJavacWroteAsAnInheritedOneIsOfTheInterface() {
    Component compiled = Corpus.component(Corpus.nest(InheritedConstant.class));
    Verification found = Verifier.verify(compiled, CostTable.standard(), Limits.DEFAULT);
    Refusal refusal =
        found.verdicts().stream()
            .filter(v -> v.method().startsWith("limit("))
            .findFirst()
            .orElseThrow()
            .refusal();
    assertThat(refusal.reason()).isEqualTo(Reason.CLASS_INIT);
    assertThat(refusal.line()).isPositive();
  }

  /// Resolves a field in the superinterfaces before the superclass (JVMS 5.4.3.2).
  @Test
  void aFieldIsLookedForInTheOrderOfTheJvm() {
    endlessInterface(false);
    ClassDesc above = ClassDesc.of("p.Above");
    ClassDesc below = ClassDesc.of("p.Below");
    add(above, c -> field(c, "LIMIT", STATIC));
    add(below, c -> c.withSuperclass(above).withInterfaceSymbols(ENDLESS));
    caller(INT, code -> code.getstatic(below, "LIMIT", NUMBER).ireturn());
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  @Test
  void anInterfaceIsInitializedWithAClassOnlyIfItHasADefaultMethod() {
    ClassDesc type = ClassDesc.of("p.Implements");
    add(
        type,
        c -> {
          c.withInterfaceSymbols(ENDLESS);
          constructor(c, ANY);
        });
    caller(VOID, code -> code.new_(type).dup().invokespecial(type, "<init>", VOID).pop().return_());
    endlessInterface(true);
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  @Test
  void anInterfaceWithoutCodeIsNotInitializedWithAClass() {
    endlessInterface(false);
    ClassDesc type = ClassDesc.of("p.Implements");
    add(
        type,
        c -> {
          c.withInterfaceSymbols(ENDLESS);
          constructor(c, ANY);
        });
    caller(VOID, code -> code.new_(type).dup().invokespecial(type, "<init>", VOID).pop().return_());
    assertThat(reason("call")).isNull();
  }

  @Test
  void aSuperclassThatIsNotKnownMayHaveAnyInitializer() {
    ClassDesc type = ClassDesc.of("p.Extends");
    add(
        type,
        c ->
            c.withSuperclass(ClassDesc.of("q.Unknown"))
                .withMethodBody("m", VOID, STATIC, CodeBuilder::return_));
    caller(VOID, code -> code.invokestatic(type, "m", VOID).return_());
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  @Test
  void aFieldMayBeOfAnInterfaceThatIsNotKnown() {
    add(
        CALLER,
        c ->
            c.withInterfaceSymbols(ClassDesc.of("q.Unknown"))
                .withMethodBody(
                    "call",
                    INT,
                    STATIC,
                    code -> code.getstatic(CALLER, "LIMIT", NUMBER).ireturn()));
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  private static DynamicConstantDesc<?> made(ClassDesc type) {
    return DynamicConstantDesc.ofNamed(
        ConstantDescs.ofConstantBootstrap(CALLER, "make", type), "x", type);
  }

  private static DynamicCallSiteDesc concatenation(ConstantDesc constant) {
    DirectMethodHandleDesc boot =
        ConstantDescs.ofCallsiteBootstrap(
            ClassDesc.of("java.lang.invoke.StringConcatFactory"),
            "makeConcatWithConstants",
            ConstantDescs.CD_CallSite,
            STRING,
            ANY.arrayType());
    return DynamicCallSiteDesc.of(
        boot, "concat", MethodTypeDesc.of(STRING, NUMBER), "\1\2", constant);
  }

  @Test
  void anArgumentOfAConcatenationThatAMethodMakesIsRefused() {
    caller(INT, code -> text(code.iconst_1().invokedynamic(concatenation(made(STRING)))));
    assertThat(reason("call")).isEqualTo(Reason.BOOTSTRAP);
  }

  @Test
  void aClassInAConcatenationIsRefused() {
    ConstantDesc type = ClassDesc.of("p." + "N".repeat(1000));
    caller(INT, code -> text(code.iconst_1().invokedynamic(concatenation(type))));
    assertThat(reason("call")).isEqualTo(Reason.BOOTSTRAP);
  }

  @Test
  void aNumberInAConcatenationIsAccepted() {
    caller(INT, code -> text(code.iconst_1().invokedynamic(concatenation(5))));
    assertThat(reason("call")).isNull();
  }

  private static void text(CodeBuilder code) {
    code.invokevirtual(STRING, "length", INT).ireturn();
  }

  private static DynamicCallSiteDesc lambda(ClassDesc type, boolean isAlternative, Object extra) {
    DirectMethodHandleDesc body =
        MethodHandleDesc.ofMethod(DirectMethodHandleDesc.Kind.STATIC, CALLER, "nothing", VOID);
    ClassDesc factory = ClassDesc.of("java.lang.invoke.LambdaMetafactory");
    MethodTypeDesc site = MethodTypeDesc.of(type);
    if (isAlternative) {
      DirectMethodHandleDesc boot =
          ConstantDescs.ofCallsiteBootstrap(
              factory, "altMetafactory", ConstantDescs.CD_CallSite, ANY.arrayType());
      return DynamicCallSiteDesc.of(
          boot, "run", site, VOID, body, VOID, 2, 1, (ConstantDesc) extra);
    }
    DirectMethodHandleDesc boot =
        ConstantDescs.ofCallsiteBootstrap(
            factory,
            "metafactory",
            ConstantDescs.CD_CallSite,
            ConstantDescs.CD_MethodType,
            ConstantDescs.CD_MethodHandle,
            ConstantDescs.CD_MethodType);
    return DynamicCallSiteDesc.of(boot, "run", site, VOID, body, VOID);
  }

  private static final ClassDesc RUNNABLE = ClassDesc.of("java.lang.Runnable");

  @Test
  void aLambdaInitializesWhatItImplements() {
    caller(VOID, code -> code.invokedynamic(lambda(ENDLESS, false, null)).pop().return_());
    assertThat(reason("call")).as("an interface that is not known").isEqualTo(Reason.CLASS_INIT);
    endlessInterface(true);
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  @Test
  void aLambdaInitializesTheMarkersThatItHas() {
    caller(VOID, code -> code.invokedynamic(lambda(RUNNABLE, true, ENDLESS)).pop().return_());
    endlessInterface(true);
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  @Test
  void anArgumentOfTheLambdaFactoryThatAMethodMakesIsRefused() {
    DynamicConstantDesc<?> marker = made(ConstantDescs.CD_Class);
    caller(VOID, code -> code.invokedynamic(lambda(RUNNABLE, true, marker)).pop().return_());
    assertThat(reason("call")).isEqualTo(Reason.BOOTSTRAP);
  }

  @Test
  void aLambdaOfTheJdkIsAccepted() {
    caller(VOID, code -> code.invokedynamic(lambda(RUNNABLE, false, null)).pop().return_());
    assertThat(reason("call")).isNull();
  }

  private void finalizable(int flags, Consumer<? super CodeBuilder> finalizer) {
    ClassDesc type = ClassDesc.of("p.Finalizable");
    ClassDesc below = ClassDesc.of("p.Below");
    add(
        type,
        c -> {
          constructor(c, ANY);
          c.withMethodBody("finalize", VOID, flags, finalizer);
        });
    add(
        below,
        c -> {
          c.withSuperclass(type);
          constructor(c, type);
        });
    caller(
        VOID, code -> code.new_(below).dup().invokespecial(below, "<init>", VOID).pop().return_());
  }

  @Test
  void anEndlessFinalizerIsRefusedWhereTheObjectIsMade() {
    finalizable(ClassFile.ACC_PROTECTED, HostileEdgesTest::forever);
    assertThat(reason("call")).isEqualTo(Reason.REFUSED_CALLEE);
    assertThat(verdict("call").refusal().why()).contains("finalize, which the collector runs");
  }

  @Test
  void aFinalizerCountsForEachObject() {
    finalizable(ClassFile.ACC_PROTECTED, code -> rounds(code, 900));
    assertThat(verdict("call").bound().bytecodes()).isBetween(3_600L, 6_000L);
  }

  @Test
  void aPrivateMethodIsNoFinalizer() {
    finalizable(ClassFile.ACC_PRIVATE, HostileEdgesTest::forever);
    assertThat(reason("call")).isNull();
  }

  private static void rounds(CodeBuilder code, int rounds) {
    Label head = code.newLabel();
    Label end = code.newLabel();
    int counter = code.allocateLocal(TypeKind.INT);
    code.iconst_0().istore(counter).labelBinding(head).iload(counter).loadConstant(rounds);
    code.if_icmpge(end).iinc(counter, 1).goto_(head).labelBinding(end).return_();
  }

  /// Checks that `getStackTrace` counts, because HotSpot asks an exception that ends an initializer
  /// for its stack trace.
  @Test
  void anInitializerThatFailsRunsGetStackTrace() {
    ClassDesc failure = ClassDesc.of("p.Failure");
    ClassDesc above = ClassDesc.of("java.lang.RuntimeException");
    ClassDesc type = ClassDesc.of("p.Fails");
    add(
        failure,
        c -> {
          c.withSuperclass(above);
          constructor(c, above);
          c.withMethodBody(
              "getStackTrace",
              MethodTypeDesc.ofDescriptor("()[Ljava/lang/StackTraceElement;"),
              PUBLIC,
              HostileEdgesTest::forever);
        });
    add(
        type,
        c -> {
          field(c, "x", STATIC);
          c.withMethodBody(
              "<clinit>",
              VOID,
              ClassFile.ACC_STATIC,
              code -> code.new_(failure).dup().invokespecial(failure, "<init>", VOID).athrow());
        });
    caller(INT, code -> code.getstatic(type, "x", NUMBER).ireturn());
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
    assertThat(verdict("call").refusal().why()).contains("getStackTrace");
  }

  /// Indexes a string by `charAt`. The call bounds its index only by the string's actual length,
  /// which may exceed the declared limit.
  @Test
  void aStringThatIsLongerThanDeclaredDoesNotCutItsIndex() {
    caller(
        INT_INT,
        code -> {
          code.loadConstant("x".repeat(LONG))
              .iload(0)
              .invokevirtual(STRING, "charAt", MethodTypeDesc.of(ConstantDescs.CD_char, NUMBER));
          code.pop();
          loopTo(code.iload(0));
        });
    assertThat(verdict("call").bound().bytecodes()).isGreaterThan(5L * LONG);
  }

  @Test
  void whatAMethodHandsBackIsAsLongAsWhatItGot() {
    caller(
        INT,
        code ->
            loopTo(
                code.loadConstant("x".repeat(LONG))
                    .invokestatic(
                        ClassDesc.of("java.util.Objects"),
                        "requireNonNull",
                        MethodTypeDesc.of(ANY, ANY))
                    .checkcast(STRING)
                    .invokevirtual(STRING, "length", INT)));
    assertThat(verdict("call").bound().bytecodes()).isGreaterThan(5L * LONG);
  }

  private static void loopTo(CodeBuilder code) {
    Label head = code.newLabel();
    Label end = code.newLabel();
    int limit = code.allocateLocal(TypeKind.INT);
    int counter = code.allocateLocal(TypeKind.INT);
    code.istore(limit).iconst_0().istore(counter).labelBinding(head).iload(counter).iload(limit);
    code.if_icmpge(end).iinc(counter, 1).goto_(head).labelBinding(end).iconst_0().ireturn();
  }

  private static final ClassDesc ENUM = ClassDesc.of("java.lang.Enum");
  private static final ClassDesc LIKE = ClassDesc.of("p.Like");
  private static final MethodTypeDesc NAMED =
      MethodTypeDesc.of(ConstantDescs.CD_void, STRING, NUMBER);

  private void enumLike() {
    add(
        LIKE,
        c ->
            c.withSuperclass(ENUM)
                .withMethodBody(
                    "<init>",
                    NAMED,
                    PUBLIC,
                    code ->
                        code.aload(0)
                            .aload(1)
                            .iload(2)
                            .invokespecial(ENUM, "<init>", NAMED)
                            .return_()));
  }

  @Test
  void anyClassMayExtendEnumAndHaveAnyOrdinal() {
    enumLike();
    caller(
        INT,
        code ->
            loopTo(
                code.new_(LIKE)
                    .dup()
                    .ldc("x")
                    .loadConstant(Integer.MAX_VALUE)
                    .invokespecial(LIKE, "<init>", NAMED)
                    .invokevirtual(ENUM, "ordinal", INT)));
    assertThat(reason("call")).isEqualTo(Reason.UNBOUNDED_LOOP);
  }

  @Test
  void aNameOfAnEnumIsNotLongerThanDeclared() {
    ClassDesc type = ClassDesc.of("p.LongName");
    add(
        type,
        c ->
            c.withSuperclass(ENUM)
                .withMethodBody(
                    "<init>",
                    VOID,
                    PUBLIC,
                    code ->
                        code.aload(0)
                            .loadConstant("x".repeat(LONG))
                            .iconst_0()
                            .invokespecial(ENUM, "<init>", NAMED)
                            .return_()));
    assertThat(reason("<init>")).isEqualTo(Reason.LENGTH);
  }

  /// Reads a field with a `ConstantValue`. The JVM sets the constant before the initializer, but
  /// the read still runs the initializer.
  @Test
  void aFieldWithAConstantRunsTheInitializerToo() {
    add(
        ENDLESS,
        c ->
            c.withFlags(INTERFACE)
                .withField(
                    "LIMIT",
                    NUMBER,
                    f ->
                        f.withFlags(STATIC | ClassFile.ACC_FINAL)
                            .with(ConstantValueAttribute.of(3)))
                .withMethodBody("<clinit>", VOID, ClassFile.ACC_STATIC, HostileEdgesTest::forever));
    caller(INT, code -> code.getstatic(ENDLESS, "LIMIT", NUMBER).ireturn());
    assertThat(reason("call")).isEqualTo(Reason.CLASS_INIT);
  }

  /// An inherited constant as it appears in ordinary source code.
  @SuppressWarnings("unused")
  static final class InheritedConstant {
    interface Consts {
      int LIMIT = wait(1);

      static int wait(int n) {
        while (n > 0) {
          n = n == 7 ? 1 : 7;
        }
        return n;
      }
    }

    static final class Reader implements Consts {
      static int limit() {
        return LIMIT;
      }
    }
  }
}
