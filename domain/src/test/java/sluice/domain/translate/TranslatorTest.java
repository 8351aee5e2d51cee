package sluice.domain.translate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

final class TranslatorTest {
  /// Passes a pattern to the JDK.
  static final class Scans {
    static String next(Scanner scanner) {
      return scanner.next(Pattern.compile("a+"));
    }
  }

  /// Refers to a method whose calls are given the domain's threads.
  static final class Refers {
    static Supplier<ExecutorService> pool() {
      return Executors::newCachedThreadPool;
    }
  }

  /// Creates a pool.
  static final class Pools {
    static Object pool() {
      return new ForkJoinPool(1);
    }
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in.readAllBytes();
    }
  }

  /// Returns the messages of the throwing calls in a translated class.
  private static List<String> messages(Class<?> type) throws IOException {
    List<String> found = new ArrayList<>();
    for (PoolEntry entry :
        ClassFile.of().parse(new Translator().translate(bytes(type), _ -> null)).constantPool()) {
      if (entry instanceof StringEntry text && text.stringValue().contains(". Why: ")) {
        found.add(text.stringValue());
      }
    }
    return found;
  }

  @Test
  void patternForTheJdkIsRefused() throws IOException {
    assertThat(messages(Scans.class))
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("Scans.next, line ", "java.util.Scanner.next. Why: ", ". Fix: ");
  }

  /// Checks that line numbers are kept for stack traces, while debug information and its constants
  /// are dropped.
  @Test
  void linesAreKeptAndNamesOfLocalsAreNot() throws IOException {
    String local = "nameThatOnlyThisLocalHas";
    byte[] file =
        ClassFile.of()
            .build(
                ClassDesc.of("a.Has"),
                builder ->
                    builder.withMethodBody(
                        "locals",
                        ConstantDescs.MTD_void,
                        ClassFile.ACC_STATIC,
                        body ->
                            body.lineNumber(7)
                                .localVariable(
                                    0,
                                    local,
                                    ConstantDescs.CD_int,
                                    body.startLabel(),
                                    body.endLabel())
                                .iconst_0()
                                .istore(0)
                                .return_()));
    byte[] made = new Translator().translate(file, _ -> null);
    ClassModel model = ClassFile.of().parse(made);
    assertThat(new String(file, StandardCharsets.ISO_8859_1)).contains(local);
    assertThat(new String(made, StandardCharsets.ISO_8859_1)).doesNotContain(local);
    assertThat(
            model
                .methods()
                .getFirst()
                .code()
                .orElseThrow()
                .elementStream()
                .filter(LineNumber.class::isInstance)
                .map(line -> ((LineNumber) line).line()))
        .containsExactly(7);
  }

  @Test
  void threadsThatWouldNotBeTheDomainsAreRefused() throws IOException {
    for (Class<?> type : List.of(Refers.class, Pools.class)) {
      assertThat(messages(type))
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains(type.getSimpleName() + ".pool", ", line ", ". Fix: ");
    }
  }

  /// Checks that the rules name exactly the redirected members: each overload of each member goes
  /// to a substitute, unless it takes an executor or a factory of the program.
  @Test
  void whatTheRulesCallRedirectedIsRedirected() throws Exception {
    Path file = Path.of("../verify/src/main/resources/sluice/verify/check/rules.txt");
    List<String> kept = new ArrayList<>();
    int members = 0;
    for (String line : Files.readAllLines(file)) {
      if (!line.startsWith("redirected ")) {
        continue;
      }
      String target = line.substring(11, line.indexOf(" |"));
      int dot = target.lastIndexOf('.');
      String name = target.substring(dot + 1);
      Class<?> owner = Class.forName(target.substring(0, dot).replace('/', '.'));
      for (Member member : members(owner)) {
        if (matches(name, member) && !takesExecutor(member)) {
          members++;
          if (!isRedirected(new Translator().translate(caller(owner, member), _ -> null))) {
            kept.add(member.toString());
          }
        }
      }
    }
    assertThat(kept).isEmpty();
    assertThat(members).isGreaterThan(60);
  }

  private static List<Member> members(Class<?> owner) {
    List<Member> result = new ArrayList<>(List.of(owner.getMethods()));
    result.addAll(List.of(owner.getConstructors()));
    result.addAll(List.of(owner.getFields()));
    return result;
  }

  private static boolean matches(String name, Member member) {
    if (member instanceof Constructor<?>) {
      return name.equals("<init>");
    }
    return name.startsWith("*")
        ? member.getName().endsWith(name.substring(1))
        : member.getName().equals(name);
  }

  private static boolean takesExecutor(Member member) {
    return member instanceof Executable code
        && Stream.of(code.getParameterTypes()).anyMatch(type -> type == Executor.class);
  }

  /// Returns a class that calls or reads the member; it is never run.
  private static byte[] caller(Class<?> owner, Member member) {
    ClassDesc type = owner.describeConstable().orElseThrow();
    return ClassFile.of()
        .build(
            ClassDesc.of("Caller"),
            made ->
                made.withMethodBody(
                    "call",
                    ConstantDescs.MTD_void,
                    ClassFile.ACC_STATIC,
                    code -> {
                      use(code, type, owner.isInterface(), member);
                      code.return_();
                    }));
  }

  private static void use(CodeBuilder code, ClassDesc type, boolean isInterface, Member member) {
    boolean isStatic = Modifier.isStatic(member.getModifiers());
    switch (member) {
      case Field field ->
          code.getstatic(type, field.getName(), field.getType().describeConstable().orElseThrow());
      case Constructor<?> maker -> {
        code.new_(type).dup();
        arguments(code, maker);
        code.invokespecial(type, "<init>", type(maker, void.class));
      }
      case Method method -> {
        if (!isStatic) {
          code.aconst_null();
        }
        arguments(code, method);
        Opcode opcode =
            isStatic
                ? Opcode.INVOKESTATIC
                : isInterface ? Opcode.INVOKEINTERFACE : Opcode.INVOKEVIRTUAL;
        MethodTypeDesc descriptor = type(method, method.getReturnType());
        code.invoke(opcode, type, method.getName(), descriptor, isInterface);
      }
      default -> throw new AssertionError(member);
    }
  }

  private static MethodTypeDesc type(Executable member, Class<?> result) {
    return MethodType.methodType(result, member.getParameterTypes())
        .describeConstable()
        .orElseThrow();
  }

  private static void arguments(CodeBuilder code, Executable member) {
    for (Class<?> parameter : member.getParameterTypes()) {
      switch (TypeKind.from(parameter).asLoadable()) {
        case INT -> code.iconst_0();
        case LONG -> code.lconst_0();
        case FLOAT -> code.fconst_0();
        case DOUBLE -> code.dconst_0();
        default -> code.aconst_null();
      }
    }
  }

  private static boolean isRedirected(byte[] translated) {
    for (PoolEntry entry : ClassFile.of().parse(translated).constantPool()) {
      if (entry instanceof MemberRefEntry member
          && Relocation.isOurs(member.owner().asInternalName())) {
        return true;
      }
    }
    return false;
  }

  /// Checks a jar with a copy of a library under names that end like the JDK's.
  @Test
  void namesThatOnlyEndLikeTheJdksAreKept() {
    ClassDesc shaded = ClassDesc.of("shaded.java.util.regex.Pattern");
    ClassDesc pattern = ClassDesc.of("java.util.regex.Pattern");
    byte[] file =
        ClassFile.of()
            .build(
                shaded,
                made ->
                    made.withField("text", ConstantDescs.CD_String, ClassFile.ACC_STATIC)
                        .withMethodBody(
                            "of",
                            MethodTypeDesc.of(shaded, ConstantDescs.CD_int, pattern, shaded),
                            ClassFile.ACC_STATIC,
                            code ->
                                code.loadConstant("my.java.util.regex.Name")
                                    .pop()
                                    .aload(2)
                                    .areturn()));
    ClassModel model = ClassFile.of().parse(new Translator().translate(file, _ -> null));
    assertThat(model.thisClass().asSymbol()).isEqualTo(shaded);
    assertThat(model.methods().getFirst().methodTypeSymbol())
        .isEqualTo(
            MethodTypeDesc.of(
                shaded,
                ConstantDescs.CD_int,
                ClassDesc.ofInternalName(Relocation.REGEX + "Pattern"),
                shaded));
    assertThat(new String(new Translator().translate(file, _ -> null), StandardCharsets.ISO_8859_1))
        .contains("my.java.util.regex.Name");
  }

  @Test
  void whatIsNoClassFileIsRefused() {
    for (byte[] bad : List.of(new byte[0], new byte[100], new byte[] {1, 2, 3})) {
      assertThatThrownBy(() -> new Translator().translate(bad, _ -> null))
          .isInstanceOf(Refused.class);
    }
  }

  /// Checks that each translated class passes the JDK's verifier, which checks frames, types and
  /// jumps.
  @Test
  void classesOfALibraryStayWellFormed() throws IOException, URISyntaxException {
    Path jar =
        Path.of(Assertions.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Translator translator = new Translator();
    int verified = 0;
    try (JarFile file = new JarFile(jar.toFile())) {
      List<JarEntry> entries =
          file.stream()
              .filter(entry -> entry.getName().matches("org/assertj/core/(util|api)/.*\\.class"))
              .filter(entry -> entry.getName().hashCode() % 4 == 0)
              .toList();
      for (JarEntry entry : entries) {
        try (InputStream in = file.getInputStream(entry)) {
          byte[] bytes = in.readAllBytes();
          byte[] translated;
          try {
            translated = translator.translate(bytes, _ -> null);
          } catch (Refused e) {
            continue;
          }
          List<VerifyError> before = ClassFile.of().verify(bytes);
          assertThat(ClassFile.of().verify(translated)).as(entry.getName()).hasSameSizeAs(before);
          verified++;
        }
      }
    }
    assertThat(verified).isGreaterThan(50);
  }
}
