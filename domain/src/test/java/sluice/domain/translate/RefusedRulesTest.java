package sluice.domain.translate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc.Kind;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;

/// Checks each refusing rule with all JDK members that it names. A class that uses a member is
/// loaded, and the use throws. A subclass of a class whose constructors are refused is not loaded.
@Timeout(300)
final class RefusedRulesTest {
  /// The number of classes of a package that are tested; they stand for all.
  private static final int MOST_OF_PACKAGE = 4;

  private static final ClassFile FILES = ClassFile.of(ClassFile.DebugElementsOption.DROP_DEBUG);

  /// The UI image classes that are not instantiated, because they load native code.
  private static final Set<String> NOT_MADE =
      Set.of("java/awt/", "javax/swing/", "jdk/swing/", "com/sun/java/accessibility/");

  @TempDir Path directory;

  private static final Map<String, Path> CLASSES = new TreeMap<>();

  private record Member(
      ClassDesc owner, String name, String descriptor, boolean isStatic, boolean isInterface) {
    boolean isConstructor() {
      return name.equals(ConstantDescs.INIT_NAME);
    }

    boolean isField() {
      return !descriptor.startsWith("(");
    }

    String internalOwner() {
      return internal(owner);
    }

    /// Returns the member as shown in messages.
    String shown() {
      return internalOwner().replace('/', '.') + "." + name;
    }
  }

  @BeforeAll
  static void list() throws IOException {
    Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
    try (Stream<Path> all = Files.walk(root)) {
      all.filter(each -> each.toString().endsWith(".class"))
          .forEach(each -> {
            String name = each.subpath(2, each.getNameCount()).toString();
            CLASSES.put(name.substring(0, name.length() - ".class".length()), each);
          });
    }
  }

  private static String internal(ClassDesc type) {
    String text = type.descriptorString();
    return text.substring(1, text.length() - 1);
  }

  /// Returns `OWNER.MEMBER` for each refusing rule.
  private static List<String> rules() throws IOException {
    Path file = Path.of("../verify/src/main/resources/sluice/verify/check/rules.txt");
    return Files.readAllLines(file).stream()
        .filter(line -> line.startsWith("refused "))
        .map(line -> line.substring(8, line.indexOf(" |")).strip())
        .filter(rule -> !rule.equals("native.method"))
        .toList();
  }

  private static boolean matches(String pattern, String name) {
    if (pattern.startsWith("*")) {
      return name.endsWith(pattern.substring(1));
    }
    return pattern.endsWith("*")
        ? name.startsWith(pattern.substring(0, pattern.length() - 1))
        : name.equals(pattern);
  }

  private static List<String> owners(String owner) {
    if (!owner.endsWith("/")) {
      return List.of(owner);
    }
    List<String> found =
        CLASSES.keySet().stream()
            .filter(each -> each.startsWith(owner))
            .limit(MOST_OF_PACKAGE)
            .toList();
    return found.isEmpty() ? List.of(owner + "Home", owner + "Substitutes") : found;
  }

  /// Returns the members of a class that a rule names, or a made-up member if the JDK has none.
  private static List<Member> members(String owner, String pattern) throws IOException {
    ClassDesc type = ClassDesc.ofInternalName(owner);
    List<Member> found = new ArrayList<>();
    Path file = CLASSES.get(owner);
    if (file != null) {
      ClassModel model = FILES.parse(Files.readAllBytes(file));
      boolean isInterface = model.flags().has(AccessFlag.INTERFACE);
      for (MethodModel each : model.methods()) {
        String name = each.methodName().stringValue();
        if (matches(pattern, name) && !name.equals(ConstantDescs.CLASS_INIT_NAME)) {
          boolean isStatic = each.flags().has(AccessFlag.STATIC);
          found.add(new Member(type, name, each.methodType().stringValue(), isStatic, isInterface));
        }
      }
      for (FieldModel each : model.fields()) {
        String name = each.fieldName().stringValue();
        if (matches(pattern, name)) {
          boolean isStatic = each.flags().has(AccessFlag.STATIC);
          found.add(new Member(type, name, each.fieldType().stringValue(), isStatic, isInterface));
        }
      }
    }
    if (found.isEmpty()) {
      String name = pattern.equals("*") ? "any" : pattern.replace("*", "Any");
      boolean isStatic = !name.equals(ConstantDescs.INIT_NAME);
      found.add(new Member(type, name, "()V", isStatic, false));
    }
    return found;
  }

  private static void use(CodeBuilder code, Member member) {
    code.dconst_0().lconst_0();
    if (member.isConstructor()) {
      code.new_(member.owner).dup();
    } else if (!member.isStatic) {
      code.aconst_null().checkcast(member.owner);
    }
    if (member.isField()) {
      ClassDesc type = ClassDesc.ofDescriptor(member.descriptor);
      branch(code);
      if (member.isStatic) {
        code.getstatic(member.owner, member.name, type);
      } else {
        code.getfield(member.owner, member.name, type);
      }
      drop(code, type);
    } else {
      MethodTypeDesc type = MethodTypeDesc.ofDescriptor(member.descriptor);
      type.parameterList().forEach(each -> argument(code, each));
      branch(code);
      Opcode opcode =
          member.isStatic
              ? Opcode.INVOKESTATIC
              : member.isConstructor()
                  ? Opcode.INVOKESPECIAL
                  : member.isInterface ? Opcode.INVOKEINTERFACE : Opcode.INVOKEVIRTUAL;
      code.invoke(opcode, member.owner, member.name, type, member.isInterface);
      drop(code, member.isConstructor() ? ConstantDescs.CD_Object : type.returnType());
    }
    code.pop2().pop2().return_();
  }

  /// Generates a branch, so that there is a frame with the whole stack.
  private static void branch(CodeBuilder code) {
    Label there = code.newLabel();
    code.iconst_0().ifeq(there).nop().labelBinding(there);
  }

  private static void argument(CodeBuilder code, ClassDesc type) {
    switch (TypeKind.from(type).asLoadable()) {
      case INT -> code.iconst_0();
      case LONG -> code.lconst_0();
      case FLOAT -> code.fconst_0();
      case DOUBLE -> code.dconst_0();
      default -> code.aconst_null();
    }
  }

  private static void drop(CodeBuilder code, ClassDesc type) {
    switch (TypeKind.from(type)) {
      case VOID -> {}
      case LONG, DOUBLE -> code.pop2();
      default -> code.pop();
    }
  }

  private static ConstantDesc handle(Member member) {
    if (member.isField()) {
      return MethodHandleDesc.ofField(
          member.isStatic ? Kind.STATIC_GETTER : Kind.GETTER,
          member.owner,
          member.name,
          ClassDesc.ofDescriptor(member.descriptor));
    }
    MethodTypeDesc type = MethodTypeDesc.ofDescriptor(member.descriptor);
    if (member.isConstructor()) {
      return MethodHandleDesc.ofConstructor(
          member.owner, type.parameterList().toArray(ClassDesc[]::new));
    }
    Kind kind =
        member.isStatic
            ? member.isInterface ? Kind.INTERFACE_STATIC : Kind.STATIC
            : member.isInterface ? Kind.INTERFACE_VIRTUAL : Kind.VIRTUAL;
    return MethodHandleDesc.ofMethod(kind, member.owner, member.name, type);
  }

  private static void method(ClassBuilder type, String name, Member member, boolean isCall) {
    type.withMethodBody(
        name,
        ConstantDescs.MTD_void,
        ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
        code -> {
          code.lineNumber(7);
          if (isCall) {
            use(code, member);
          } else {
            code.loadConstant(handle(member)).pop().return_();
          }
        });
  }

  private static boolean isMade(Member member) {
    return !member.isConstructor()
        || NOT_MADE.stream().noneMatch(each -> member.internalOwner().startsWith(each));
  }

  private void write(String name, byte[] bytes) throws IOException {
    Path file = directory.resolve(name + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
  }

  private Domain domain(String name) throws IOException {
    return Domain.create(DomainConfig.of(name, directory));
  }

  @Test
  void eachUseOfARefusedMemberThrows() throws Exception {
    Map<String, List<Member>> byClass = new HashMap<>();
    List<String> rules = rules();
    for (int i = 0; i < rules.size(); i++) {
      String rule = rules.get(i);
      int dot = rule.lastIndexOf('.');
      List<Member> members = new ArrayList<>();
      for (String owner : owners(rule.substring(0, dot))) {
        members.addAll(members(owner, rule.substring(dot + 1)));
      }
      String name = "rules/R" + i;
      byClass.put(name, members);
      write(
          name,
          FILES.build(
              ClassDesc.ofInternalName(name),
              type -> {
                for (int k = 0; k < members.size(); k++) {
                  method(type, "call" + k, members.get(k), true);
                  method(type, "handle" + k, members.get(k), false);
                }
              }));
    }
    List<String> wrong = new ArrayList<>();
    int thrown = 0;
    try (Domain domain = domain("rules")) {
      for (Map.Entry<String, List<Member>> each : byClass.entrySet()) {
        Class<?> type = domain.loader().loadClass(each.getKey().replace('/', '.'));
        for (Method method : type.getDeclaredMethods()) {
          int number = Integer.parseInt(method.getName().replaceAll("\\D+", ""));
          Member member = each.getValue().get(number);
          if (method.getName().startsWith("handle") || isMade(member)) {
            String told = domain.call(() -> thrownBy(method, member));
            if (told.isEmpty()) {
              thrown++;
            } else {
              wrong.add(told);
            }
          }
        }
      }
    }
    assertThat(String.join("\n", wrong)).isEmpty();
    assertThat(thrown).isGreaterThan(600);
  }

  /// Returns the defect of the exception that a use throws, or an empty text.
  private static String thrownBy(Method method, Member member) throws IllegalAccessException {
    try {
      method.invoke(null);
    } catch (InvocationTargetException e) {
      Throwable thrown = Objects.requireNonNull(e.getCause());
      boolean isRefusal =
          thrown.getClass() == SecurityException.class
              && String.valueOf(thrown.getMessage())
                  .startsWith(
                      method.getDeclaringClass().getName()
                          + "."
                          + method.getName()
                          + "()V, line 7: "
                          + member.shown()
                          + ". Why: ");
      // A class that is abstract or not exported cannot be instantiated at all.
      boolean isNotMade = member.isConstructor() && thrown instanceof LinkageError;
      return isRefusal || isNotMade ? "" : method + " of " + member + " threw " + thrown;
    }
    return method + " of " + member + " threw nothing";
  }

  @Test
  void noClassIsLoadedBelowOneWhoseConstructorIsRefused() throws Exception {
    List<String> above = new ArrayList<>();
    for (String rule : rules()) {
      int dot = rule.lastIndexOf('.');
      if (matches(rule.substring(dot + 1), ConstantDescs.INIT_NAME)) {
        above.addAll(owners(rule.substring(0, dot)));
      }
    }
    assertThat(above).contains("java/lang/ClassLoader", "java/util/logging/Level");
    try (Domain domain = domain("below")) {
      for (int i = 0; i < above.size(); i++) {
        ClassDesc type = ClassDesc.ofInternalName(above.get(i));
        String name = "below/B" + i;
        write(
            name,
            FILES.build(
                ClassDesc.ofInternalName(name),
                made ->
                    made.withSuperclass(type)
                        .withMethodBody(
                            ConstantDescs.INIT_NAME,
                            ConstantDescs.MTD_void,
                            ClassFile.ACC_PUBLIC,
                            code ->
                                code.aload(0)
                                    .invokespecial(
                                        type, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                                    .return_())));
        assertThatThrownBy(() -> domain.loader().loadClass(name.replace('/', '.')))
            .isInstanceOf(Refused.class)
            .hasMessageContaining(internal(type).replace('/', '.') + ".<init>. Why: ");
      }
    }
  }

  /// Checks a method whose jumps are too far for short ones. It is generated twice, and both
  /// versions need the refusals.
  @Test
  void aRefusalIsInAMethodOfFarJumpsToo() throws Exception {
    int times = 9_000;
    byte[] file =
        ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS)
            .build(
                ClassDesc.of("far.Jumps"),
                type ->
                    // The version has no frames: the JDK's class files contain none for far jumps.
                    type.withFlags(AccessFlag.PUBLIC)
                        .withVersion(ClassFile.JAVA_6_VERSION, 0)
                        .withMethodBody(
                            "run",
                            ConstantDescs.MTD_void,
                            ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC,
                            code -> {
                              Label end = code.newLabel();
                              code.iconst_0().ifeq(end);
                              for (int i = 0; i < times; i++) {
                                code.iconst_0().pop();
                              }
                              for (int i = 0; i < 2_000; i++) {
                                code.iconst_1();
                                code.invokestatic(
                                    ClassDesc.of("java.lang.System"),
                                    "exit",
                                    MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int));
                              }
                              code.labelBinding(end).return_();
                            }));
    ClassModel made = FILES.parse(new Translator().translate(file, _ -> null));
    assertThat(JdkListsTest.unguarded(made, ClassDesc.of("java.lang.System"))).isEmpty();
    write("far/Jumps", file);
    try (Domain domain = domain("far")) {
      Method run = domain.loader().loadClass("far.Jumps").getMethod("run");
      assertThat(run.invoke(null)).as("the far jump leads to the end").isNull();
    }
  }
}
