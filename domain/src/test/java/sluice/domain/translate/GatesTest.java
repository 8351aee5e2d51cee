package sluice.domain.translate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/// Checks that a method begins with a gate, and that once gates throw, no path through a translated
/// method returns to an earlier point. So every cycle of jumps, handlers or calls passes a gate.
final class GatesTest {
  private static final ClassDesc IMAGES = ClassDesc.of("javax.imageio.ImageIO");

  /// The handles of a refused and of a redirected method.
  private static final List<MethodHandleDesc> HANDLES =
      List.of(
          MethodHandleDesc.ofMethod(
              DirectMethodHandleDesc.Kind.STATIC, IMAGES, "scanForPlugins", ConstantDescs.MTD_void),
          MethodHandleDesc.ofMethod(
              DirectMethodHandleDesc.Kind.STATIC,
              ClassDesc.of("java.util.concurrent.Executors"),
              "newCachedThreadPool",
              MethodTypeDesc.ofDescriptor("()Ljava/util/concurrent/ExecutorService;")));

  private static final int PROGRAMS = 400;
  private static final List<String> CAUGHT =
      List.of(
          "java.lang.Throwable",
          "java.lang.Error",
          "java.lang.RuntimeException",
          "java.io.IOException",
          "sluice.domain.inside.Death");

  @Test
  void noCycleOfARandomProgramAvoidsTheGates() {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dsluice.seed)");
    int cycles = 0;
    for (int i = 0; i < PROGRAMS; i++) {
      cycles += check("seed " + seed + " + " + i, program(random(seed + i)));
    }
    assertThat(cycles).as("programs that go round without gates").isGreaterThan(PROGRAMS / 10);
  }

  /// Checks a refused call that is its own handler, in two ways.
  @Test
  void nothingComesBetweenARefusalAndItsCall() {
    byte[] program =
        program(code -> {
          Label call = code.newBoundLabel();
          code.invokestatic(IMAGES, "scanForPlugins", ConstantDescs.MTD_void);
          Label end = code.newBoundLabel();
          code.goto_(call)
              .exceptionCatchAll(call, end, call)
              .exceptionCatch(call, end, call, ClassDesc.of("java.lang.SecurityException"));
        });
    assertThat(check("a refused call", program)).isEqualTo(1);
  }

  /// Checks the handler of a monitor that is not held: it throws a different exception, which its
  /// own handler catches, leading back into the range that the monitor's handler covers.
  @Test
  void noMonitorMakesAnExceptionOfADeath() {
    byte[] program =
        program(code -> {
          Label first = code.newBoundLabel();
          code.nop();
          Label leave = code.newBoundLabel();
          code.astore(1).aload(0).monitorexit().aload(1).athrow();
          Label caught = code.newBoundLabel();
          code.nop();
          Label end = code.newBoundLabel();
          code.return_()
              .exceptionCatchAll(first, leave, leave)
              .exceptionCatch(leave, caught, caught, ClassDesc.of("java.lang.RuntimeException"))
              .exceptionCatchAll(caught, end, first);
        });
    assertThat(check("a monitor that is not held", program)).isEqualTo(1);
  }

  @Test
  void noCycleOfALibraryAvoidsTheGates() throws IOException, URISyntaxException {
    Path jar =
        Path.of(Assertions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    int cycles = 0;
    try (JarFile file = new JarFile(jar.toFile())) {
      List<JarEntry> classes =
          file.stream()
              .filter(entry -> entry.getName().matches("org/assertj/core/.*\\.class"))
              .filter(entry -> entry.getName().hashCode() % 4 == 0)
              .toList();
      for (JarEntry entry : classes) {
        try (InputStream in = file.getInputStream(entry)) {
          cycles += check(entry.getName(), in.readAllBytes());
        }
      }
    }
    assertThat(cycles).as("methods that go round without gates").isGreaterThan(50);
  }

  /// Checks all methods of a translated class.
  ///
  /// @return the number of methods that would have cycles without translation
  private static int check(String what, byte[] bytes) {
    byte[] translated;
    try {
      translated = new Translator().translate(bytes, _ -> null);
    } catch (Refused e) {
      return 0; // it is not loaded
    }
    ClassModel after = ClassFile.of().parse(translated);
    assertThat(JdkListsTest.unguarded(after, IMAGES)).as("refused calls of %s", what).isEmpty();
    for (MethodModel method : after.methods()) {
      String where = what + ", " + method.methodName().stringValue();
      method
          .code()
          .map(AfterTheEnd::new)
          .ifPresent(way -> {
            assertThat(way.beginsWithGate()).as("%s begins with a gate", where).isTrue();
            assertThat(way.goesRound()).as("%s goes round", where).isFalse();
          });
    }
    ClassModel before = ClassFile.of().parse(bytes);
    return (int)
        before.methods().stream()
            .flatMap(method -> method.code().stream())
            .filter(code -> new AfterTheEnd(code).goesRound())
            .count();
  }

  /// Returns a method of blocks that jump to each other at random, covered by handlers of any kind,
  /// including themselves.
  private static Consumer<CodeBuilder> random(long seed) {
    return code -> body(code, new Random(seed));
  }

  /// Returns a class with one method. It is never run; a class file of this version needs no stack
  /// map frames.
  private static byte[] program(Consumer<CodeBuilder> body) {
    return ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
        .build(
            ClassDesc.of("p.Program"),
            type ->
                type.withVersion(ClassFile.JAVA_6_VERSION, 0)
                    .withMethodBody("run", ConstantDescs.MTD_void, ClassFile.ACC_STATIC, body));
  }

  private static void body(CodeBuilder code, Random random) {
    int blocks = 2 + random.nextInt(random.nextBoolean() ? 3 : 10);
    List<Label> starts = new ArrayList<>();
    List<Label> edges = new ArrayList<>(); // in their order
    for (int i = 0; i <= blocks; i++) {
      starts.add(code.newLabel());
    }
    for (int i = 0; i < blocks; i++) {
      edges.add(starts.get(i));
      code.labelBinding(starts.get(i));
      block(code, random, starts, edges);
    }
    edges.add(starts.get(blocks));
    code.labelBinding(starts.get(blocks)).return_();
    for (int i = random.nextInt(7); i > 0; i--) {
      int from = random.nextInt(edges.size() - 1);
      Label first = edges.get(from);
      int most = random.nextBoolean() ? edges.size() - 1 - from : 1;
      Label end = edges.get(from + 1 + random.nextInt(most));
      Label handler = starts.get(random.nextInt(blocks));
      if (random.nextInt(3) == 0) {
        code.exceptionCatchAll(first, end, handler);
      } else {
        String caught = CAUGHT.get(random.nextInt(CAUGHT.size()));
        code.exceptionCatch(first, end, handler, ClassDesc.of(caught));
      }
    }
  }

  private static void block(
      CodeBuilder code, Random random, List<Label> starts, List<Label> edges) {
    Label to = starts.get(random.nextInt(starts.size()));
    switch (random.nextInt(12)) {
      case 0 -> code.goto_(to);
      case 1 -> code.iconst_0().ifeq(to);
      case 2 -> {
        Label other = starts.get(random.nextInt(starts.size()));
        code.iconst_0().tableswitch(0, 1, to, List.of(SwitchCase.of(0, other)));
      }
      case 3 -> {
        Label other = starts.get(random.nextInt(starts.size()));
        code.iconst_0().lookupswitch(to, List.of(SwitchCase.of(7, other)));
      }
      case 4 -> code.aconst_null().athrow();
      // As javac leaves a monitor, or nearly so.
      case 5, 8, 9 -> {
        code.astore(1).aload(0);
        edges.add(code.newBoundLabel());
        code.monitorexit();
        edges.add(code.newBoundLabel());
        code.aload(1).athrow();
      }
      case 6 -> code.iconst_0().pop();
      // Refused: a throw is put before it.
      case 10 -> code.invokestatic(IMAGES, "scanForPlugins", ConstantDescs.MTD_void);
      case 11 -> {
        code.astore(1).loadConstant(HANDLES.get(random.nextInt(2))).pop().aload(0);
        code.monitorexit();
        edges.add(code.newBoundLabel());
        code.aload(1).athrow();
      }
      default -> code.return_();
    }
  }
}
