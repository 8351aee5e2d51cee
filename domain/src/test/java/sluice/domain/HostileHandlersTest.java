package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.domain.inside.Death;

/// Tests with class files that javac does not write, made to outlive their domain.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class HostileHandlersTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final ClassDesc DEATH = ClassDesc.of(Death.class.getName());
  private static final ClassDesc THROWABLE = ConstantDescs.CD_Throwable;

  /// The bodies of `run()`; local variable 0 is `this`.
  private static final Map<String, Consumer<CodeBuilder>> BODIES =
      Map.ofEntries(
          Map.entry("MonitorThatIsNotHeld", HostileHandlersTest::monitorThatIsNotHeld),
          Map.entry("MonitorThatIsEnteredAgain", HostileHandlersTest::monitorThatIsEnteredAgain),
          Map.entry("HandlerOfItself", HostileHandlersTest::handlerOfItself),
          Map.entry("HandlersOfEachOther", HostileHandlersTest::handlersOfEachOther),
          Map.entry("MonitorsOfEachOther", HostileHandlersTest::monitorsOfEachOther),
          Map.entry("CatchesDeathByName", HostileHandlersTest::catchesDeathByName),
          Map.entry("HandlerInFront", HostileHandlersTest::handlerInFront),
          Map.entry("MonitorBelowAHandler", HostileHandlersTest::monitorBelowAHandler),
          Map.entry("StackIsFull", HostileHandlersTest::stackIsFull),
          Map.entry("HandlerIsTheRefusedCall", HostileHandlersTest::handlerIsTheRefusedCall));

  @TempDir Path directory;

  /// Generates `loop: goto loop`, whose handler is entered only by a death.
  private static Label loop(CodeBuilder code) {
    Label head = code.newBoundLabel();
    code.nop().goto_(head);
    return head;
  }

  private static void monitorThatIsNotHeld(CodeBuilder code) {
    Label from = loop(code);
    Label handler = code.newBoundLabel();
    code.astore(1).aload(0).monitorexit();
    Label end = code.newBoundLabel();
    code.aload(1).athrow();
    code.exceptionCatchAll(from, handler, handler).exceptionCatchAll(handler, end, handler);
  }

  private static void monitorThatIsEnteredAgain(CodeBuilder code) {
    Label enter = code.newLabel();
    code.goto_(enter);
    Label handler = code.newBoundLabel();
    code.pop().aload(0).monitorexit().labelBinding(enter).aload(0).monitorenter();
    Label from = loop(code);
    code.exceptionCatchAll(from, code.newBoundLabel(), handler);
  }

  private static void handlerOfItself(CodeBuilder code) {
    Label from = loop(code);
    Label handler = code.newBoundLabel();
    code.pop().goto_(from);
    code.exceptionCatch(from, code.newBoundLabel(), handler, THROWABLE);
  }

  /// Generates a refused call that is the handler of its own exception. Its argument is an
  /// interface, for which the JVM accepts any object.
  private static void handlerIsTheRefusedCall(CodeBuilder code) {
    ClassDesc factory = ClassDesc.of("java.net.URLStreamHandlerFactory");
    code.aconst_null();
    Label call = code.newBoundLabel();
    code.invokestatic(
        ClassDesc.of("java.net.URL"),
        "setURLStreamHandlerFactory",
        MethodTypeDesc.of(ConstantDescs.CD_void, factory));
    code.exceptionCatchAll(call, code.newBoundLabel(), call).return_();
  }

  private static void handlersOfEachOther(CodeBuilder code) {
    Label from = loop(code);
    Label first = code.newBoundLabel();
    code.pop().goto_(from);
    Label second = code.newBoundLabel();
    code.pop().goto_(from);
    Label end = code.newBoundLabel();
    code.exceptionCatchAll(from, first, first)
        .exceptionCatchAll(first, second, second)
        .exceptionCatchAll(second, end, first);
  }

  private static void monitorsOfEachOther(CodeBuilder code) {
    Label from = loop(code);
    Label first = code.newBoundLabel();
    code.astore(1).aload(0).monitorexit().aload(1).athrow();
    Label second = code.newBoundLabel();
    code.astore(1).aload(0).monitorexit().aload(1).athrow();
    Label end = code.newBoundLabel();
    code.exceptionCatchAll(from, first, first)
        .exceptionCatchAll(first, second, second)
        .exceptionCatchAll(second, end, first);
  }

  private static void catchesDeathByName(CodeBuilder code) {
    Label from = loop(code);
    Label handler = code.newBoundLabel();
    code.pop().goto_(from);
    code.exceptionCatch(from, handler, handler, DEATH);
  }

  private static void handlerInFront(CodeBuilder code) {
    Label start = code.newLabel();
    code.goto_(start);
    Label handler = code.newBoundLabel();
    code.pop().labelBinding(start);
    Label from = loop(code);
    code.exceptionCatchAll(from, code.newBoundLabel(), handler);
  }

  private static void monitorBelowAHandler(CodeBuilder code) {
    Label start = code.newLabel();
    code.goto_(start);
    Label first = code.newBoundLabel();
    code.pop().labelBinding(start);
    Label from = loop(code);
    Label leave = code.newBoundLabel();
    code.astore(1).aload(0).monitorexit().aload(1).athrow();
    Label caught = code.newBoundLabel();
    code.athrow();
    Label end = code.newBoundLabel();
    code.exceptionCatchAll(from, leave, first)
        .exceptionCatchAll(first, from, leave)
        .exceptionCatch(leave, caught, caught, ClassDesc.of("java.lang.RuntimeException"))
        .exceptionCatchAll(caught, end, first);
  }

  /// Generates code that fills the stack, where a gate throws a `StackOverflowError` instead of a
  /// death.
  private static void stackIsFull(CodeBuilder code) {
    Label from = code.newBoundLabel();
    code.aload(0)
        .invokeinterface(ClassDesc.of("java.lang.Runnable"), "run", ConstantDescs.MTD_void)
        .return_();
    Label handler = code.newBoundLabel();
    code.pop();
    loop(code);
    ClassDesc overflow = ClassDesc.of("java.lang.StackOverflowError");
    code.exceptionCatch(from, code.newBoundLabel(), handler, overflow);
  }

  private Domain domain(String name, Consumer<CodeBuilder> body) throws Exception {
    byte[] made =
        ClassFile.of()
            .build(
                ClassDesc.of("p." + name),
                type ->
                    type.withFlags(ClassFile.ACC_PUBLIC)
                        .withInterfaceSymbols(ClassDesc.of("java.lang.Runnable"))
                        .withMethodBody(
                            ConstantDescs.INIT_NAME,
                            ConstantDescs.MTD_void,
                            ClassFile.ACC_PUBLIC,
                            code ->
                                code.aload(0)
                                    .invokespecial(
                                        ConstantDescs.CD_Object,
                                        ConstantDescs.INIT_NAME,
                                        ConstantDescs.MTD_void)
                                    .return_())
                        .withMethodBody("run", ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC, body));
    Path file = directory.resolve("p").resolve(name + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, made);
    return Domain.create(
        DomainConfig.of("hostile-" + name.toLowerCase(java.util.Locale.ROOT), directory));
  }

  private static Runnable create(Domain domain, String name) throws Exception {
    return (Runnable) domain.loader().loadClass("p." + name).getDeclaredConstructor().newInstance();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MonitorThatIsNotHeld",
        "MonitorThatIsEnteredAgain",
        "HandlerOfItself",
        "HandlersOfEachOther",
        "MonitorsOfEachOther",
        "CatchesDeathByName",
        "HandlerInFront",
        "MonitorBelowAHandler",
        "StackIsFull",
        "HandlerIsTheRefusedCall",
      })
  void ends(String name) throws Exception {
    try (Domain domain = domain(name, Objects.requireNonNull(BODIES.get(name)))) {
      Thread thread = domain.start(name, create(domain, name));
      Thread.sleep(60);
      assertThat(thread.isAlive()).isTrue();
      domain.kill();
      assertThat(domain.awaitEnd(LONG)).isTrue();
    }
  }

  private static AbstractThrowableAssert<?, ?> assertRefused(Domain domain, String name)
      throws Exception {
    Runnable guest = create(domain, name);
    return assertThatThrownBy(() -> domain.call(Executors.callable(guest)))
        .isExactlyInstanceOf(SecurityException.class);
  }

  /// Checks a constant whose value is computed by a refused call.
  @Test
  void aConstantThatExitsIsRefused() throws Exception {
    ClassDesc bootstraps = ClassDesc.of("java.lang.invoke.ConstantBootstraps");
    DynamicConstantDesc<?> exits =
        DynamicConstantDesc.ofNamed(
            ConstantDescs.ofConstantBootstrap(
                bootstraps,
                "invoke",
                ConstantDescs.CD_Object,
                ConstantDescs.CD_MethodHandle,
                ConstantDescs.CD_Object.arrayType()),
            "x",
            ConstantDescs.CD_Object,
            MethodHandleDesc.ofMethod(
                java.lang.constant.DirectMethodHandleDesc.Kind.STATIC,
                ClassDesc.of("java.lang.System"),
                "exit",
                MethodTypeDesc.ofDescriptor("(I)V")),
            1);
    try (Domain domain = domain("Exits", code -> code.loadConstant(exits).pop().return_())) {
      assertRefused(domain, "Exits").hasMessageContaining("java.lang.System.exit");
    }
  }

  @Test
  void aHandleOfWhatIsRedirectedIsRefused() throws Exception {
    var handle =
        MethodHandleDesc.ofMethod(
            java.lang.constant.DirectMethodHandleDesc.Kind.STATIC,
            ClassDesc.of("java.lang.Thread"),
            "startVirtualThread",
            MethodTypeDesc.ofDescriptor("(Ljava/lang/Runnable;)Ljava/lang/Thread;"));
    try (Domain domain = domain("Holds", code -> code.loadConstant(handle).pop().return_())) {
      assertRefused(domain, "Holds")
          .hasMessageContaining("startVirtualThread")
          .hasMessageContaining("Fix: ");
    }
  }
}
