package sluice.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.classfile.attribute.PermittedSubclassesAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicCallSiteDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/// Class files that javac does not write, made to obtain a bound that does not hold.
@SuppressWarnings("NullAway") // a null fails the test
final class HostileCallsTest {
  private static final MethodTypeDesc VOID = ConstantDescs.MTD_void;
  private static final MethodTypeDesc INT = MethodTypeDesc.of(ConstantDescs.CD_int);
  private static final int STATIC = ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC;

  private final Component component = new Component();

  private Refusal refusal(String method) {
    return Verifier.verify(component, CostTable.standard(), Limits.DEFAULT).verdicts().stream()
        .filter(v -> v.method().startsWith(method + "("))
        .findFirst()
        .orElseThrow()
        .refusal();
  }

  private static void forever(CodeBuilder code) {
    Label head = code.newBoundLabel();
    code.goto_(head);
  }

  private void add(String name, Consumer<? super java.lang.classfile.ClassBuilder> body) {
    component.add(name, ClassFile.of().build(ClassDesc.of(name), body));
  }

  @Test
  void superCallsThatLeaveOutAClassRunItsMethodNevertheless() {
    ClassDesc top = ClassDesc.of("p.Top");
    ClassDesc middle = ClassDesc.of("p.Middle");
    add("p.Top", c -> c.withMethodBody("m", VOID, ClassFile.ACC_PUBLIC, CodeBuilder::return_));
    add(
        "p.Middle",
        c ->
            c.withSuperclass(top)
                .withMethodBody("m", VOID, ClassFile.ACC_PUBLIC, HostileCallsTest::forever));
    add(
        "p.Low",
        c ->
            c.withSuperclass(middle)
                .withMethodBody(
                    "call",
                    VOID,
                    ClassFile.ACC_PUBLIC,
                    code -> code.aload(0).invokespecial(top, "m", VOID).return_()));
    assertThat(refusal("call").reason()).isEqualTo(Reason.REFUSED_CALLEE);
  }

  @Test
  void aSealedInterfaceOfAnOldClassFileIsNotSealed() {
    ClassDesc open = ClassDesc.of("p.Open");
    ClassDesc quick = ClassDesc.of("p.Quick");
    component.add(
        "p.Open",
        ClassFile.of()
            .build(
                open,
                c ->
                    c.withVersion(52, 0)
                        .withFlags(
                            ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT | ClassFile.ACC_PUBLIC)
                        .with(PermittedSubclassesAttribute.ofSymbols(List.of(quick)))
                        .withMethod(
                            "m", VOID, ClassFile.ACC_PUBLIC | ClassFile.ACC_ABSTRACT, m -> {})));
    add(
        "p.Quick",
        c ->
            c.withInterfaceSymbols(open)
                .withFlags(ClassFile.ACC_FINAL)
                .withMethodBody("m", VOID, ClassFile.ACC_PUBLIC, CodeBuilder::return_)
                .withMethodBody(
                    "call",
                    MethodTypeDesc.of(ConstantDescs.CD_void, open),
                    STATIC,
                    code -> code.aload(0).invokeinterface(open, "m", VOID).return_()));
    assertThat(refusal("call").reason()).isEqualTo(Reason.VIRTUAL_CALL);
  }

  @Test
  void aByteParameterMayHoldAnyInt() {
    add(
        "p.Narrow",
        c ->
            c.withMethodBody(
                "loop",
                MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_byte),
                STATIC,
                code -> {
                  Label head = code.newLabel();
                  Label end = code.newLabel();
                  code.iconst_0().istore(1).labelBinding(head).iload(1).iload(0);
                  code.branch(Opcode.IF_ICMPGE, end).iinc(1, 1).goto_(head);
                  code.labelBinding(end).return_();
                }));
    assertThat(refusal("loop").reason()).isEqualTo(Reason.UNBOUNDED_LOOP);
  }

  @Test
  void aClassInAPackageOfTheJdkIsNotBelieved() {
    add("java.util.Arrays", c -> c.withMethodBody("sort", VOID, STATIC, CodeBuilder::return_));
    add(
        "p.Caller",
        c ->
            c.withMethodBody(
                "call",
                VOID,
                STATIC,
                code ->
                    code.invokestatic(ClassDesc.of("java.util.Arrays"), "sort", VOID).return_()));
    assertThat(component.unreadable()).singleElement().asString().contains("JDK");
    assertThat(refusal("call").reason()).isEqualTo(Reason.UNKNOWN_CALL);
  }

  @Test
  void aConstantOfAFieldMayBeLongerThanDeclared() {
    ClassDesc name = ClassDesc.of("p.Constant");
    ClassDesc string = ConstantDescs.CD_String;
    add(
        "p.Constant",
        c ->
            c.withField(
                    "text",
                    string,
                    f ->
                        f.withFlags(ClassFile.ACC_STATIC | ClassFile.ACC_FINAL)
                            .with(ConstantValueAttribute.of("x".repeat(60_000))))
                .withMethodBody(
                    "takes",
                    MethodTypeDesc.of(ConstantDescs.CD_void, string),
                    STATIC,
                    CodeBuilder::return_)
                .withMethodBody(
                    "call",
                    VOID,
                    STATIC,
                    code ->
                        code.getstatic(name, "text", string)
                            .invokestatic(
                                name, "takes", MethodTypeDesc.of(ConstantDescs.CD_void, string))
                            .return_()));
    assertThat(refusal("call").reason()).isEqualTo(Reason.LENGTH);
  }

  /// Passes a string as an interface. The JVM does not check that an argument implements the
  /// interface of its parameter.
  @Test
  void aStringThatPassesAsAnInterfaceMayBeLongerThanDeclared() {
    ClassDesc self = ClassDesc.of("p.Passes");
    ClassDesc string = ConstantDescs.CD_String;
    MethodTypeDesc takes =
        MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of("java.lang.Runnable"));
    DirectMethodHandleDesc concatenates =
        ConstantDescs.ofCallsiteBootstrap(
            ClassDesc.of("java.lang.invoke.StringConcatFactory"),
            "makeConcat",
            ConstantDescs.CD_CallSite);
    add(
        "p.Passes",
        c ->
            c.withMethodBody("takes", takes, STATIC, CodeBuilder::return_)
                .withMethodBody(
                    "call",
                    MethodTypeDesc.of(ConstantDescs.CD_void, string),
                    STATIC,
                    code ->
                        code.aload(0)
                            .aload(0)
                            .invokedynamic(
                                DynamicCallSiteDesc.of(
                                    concatenates,
                                    "makeConcat",
                                    MethodTypeDesc.of(string, string, string)))
                            .invokestatic(self, "takes", takes)
                            .return_())
                .withMethodBody(
                    "callNull",
                    VOID,
                    STATIC,
                    code -> code.aconst_null().invokestatic(self, "takes", takes).return_()));
    assertThat(refusal("call").reason()).isEqualTo(Reason.LENGTH);
    assertThat(refusal("callNull")).isNull();
  }

  @Test
  void aLoopWithTwoEntrancesIsRefused() {
    add(
        "p.Irreducible",
        c ->
            c.withMethodBody(
                "jump",
                MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int),
                STATIC,
                code -> {
                  Label a = code.newLabel();
                  Label b = code.newLabel();
                  code.iload(0).ifeq(b).labelBinding(a).iinc(0, 1).labelBinding(b).iinc(0, 2);
                  code.iload(0).ifne(a).iload(0).ireturn();
                }));
    assertThat(refusal("jump").reason()).isEqualTo(Reason.IRREDUCIBLE);
  }

  @Test
  void aConstantThatAMethodMakesIsRefused() {
    var bootstrap =
        ConstantDescs.ofConstantBootstrap(ClassDesc.of("p.Condy"), "make", ConstantDescs.CD_int);
    add(
        "p.Condy",
        c ->
            c.withMethodBody(
                "load",
                INT,
                STATIC,
                code ->
                    code.loadConstant(
                            java.lang.constant.DynamicConstantDesc.ofNamed(
                                bootstrap, "x", ConstantDescs.CD_int))
                        .ireturn()));
    assertThat(refusal("load").reason()).isEqualTo(Reason.BOOTSTRAP);
  }

  @Test
  void brokenBytesAreReportedAndNothingIsThrown() {
    component.add("empty", new byte[0]);
    component.add("magic", new byte[] {(byte) 0xCA, (byte) 0xFE, (byte) 0xBA, (byte) 0xBE});
    assertThat(component.unreadable()).hasSize(2);
  }
}
