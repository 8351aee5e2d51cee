package sluice.verify;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// Generates random components whose work is outside of the bytecodes of the called method:
/// initializers of classes and interfaces that are reached through other names, finalizers,
/// exceptions whose stack trace the JVM requests, lambdas, constants created by a method, and
/// strings longer than declared. [RandomEdgeBody] writes the called method. An instance belongs to
/// the test's thread.
@SuppressWarnings("NullAway") // a null fails the test
final class RandomEdge {
  static final String PACKAGE = "sluice.verify.edge.";
  static final ClassDesc MAIN = ClassDesc.of(PACKAGE + "Main");
  static final ClassDesc ENUM = ClassDesc.of(PACKAGE + "Number");
  static final ClassDesc EXCEPTION = ClassDesc.of(PACKAGE + "Failure");
  static final MethodTypeDesc VOID = ConstantDescs.MTD_void;
  static final MethodTypeDesc INT = MethodTypeDesc.of(ConstantDescs.CD_int);
  static final MethodTypeDesc RUN =
      MethodTypeDesc.of(
          ConstantDescs.CD_int,
          ConstantDescs.CD_int,
          ConstantDescs.CD_int,
          ConstantDescs.CD_byte.arrayType(),
          ConstantDescs.CD_String);
  static final MethodTypeDesc BOOT =
      MethodTypeDesc.of(
          ConstantDescs.CD_Object,
          ConstantDescs.CD_MethodHandles_Lookup,
          ConstantDescs.CD_String,
          ConstantDescs.CD_Class);
  static final MethodTypeDesc NAMED =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_String, ConstantDescs.CD_int);
  static final int INTERFACES = 3;
  static final int TYPES = 6;

  private static final int STATIC = ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC;
  private static final int[] ROUNDS = {0, 1, 5, 50, 400};
  private static final ClassDesc TRACE = ClassDesc.of("java.lang.StackTraceElement").arrayType();

  private final RandomGenerator random;
  private final Map<String, byte[]> classes = new LinkedHashMap<>();
  private final ClassDesc[] superclasses = new ClassDesc[TYPES + 1];

  private RandomEdge(RandomGenerator random) {
    this.random = random;
    for (int i = 0; i <= TYPES; i++) {
      boolean extendsOne = i > INTERFACES && random.nextBoolean();
      superclasses[i] = extendsOne ? type(random.nextInt(INTERFACES, i)) : ConstantDescs.CD_Object;
    }
  }

  /// Returns the classes by name. The caller runs the first method of the first class.
  static Map<String, byte[]> of(RandomGenerator random) {
    RandomEdge edge = new RandomEdge(random);
    edge.add(MAIN, edge::main);
    for (int i = 0; i < TYPES; i++) {
      int number = i;
      edge.add(type(i), c -> edge.type(c, number));
    }
    edge.add(ENUM, edge::number);
    edge.add(EXCEPTION, edge::failure);
    return edge.classes;
  }

  /// Returns the name of a type. The first types are interfaces, the others classes; a type extends
  /// only types with lower numbers.
  static ClassDesc type(int number) {
    return ClassDesc.of(PACKAGE + (number < INTERFACES ? "I" : "C") + number);
  }

  private void add(ClassDesc name, java.util.function.Consumer<ClassBuilder> body) {
    String dotted = PACKAGE + name.displayName();
    classes.put(dotted, ClassFile.of().build(name, body));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private void main(ClassBuilder c) {
    c.withFlags(ClassFile.ACC_PUBLIC);
    supertypes(c, TYPES, 25);
    c.withMethodBody("run", RUN, STATIC, new RandomEdgeBody(random)::write);
    c.withMethodBody("nothing", VOID, STATIC, CodeBuilder::return_);
    c.withMethodBody(
        "boot",
        BOOT,
        STATIC,
        code -> {
          work(code, 5);
          code.loadConstant(7)
              .invokestatic(
                  ConstantDescs.CD_Integer,
                  "valueOf",
                  MethodTypeDesc.of(ConstantDescs.CD_Integer, ConstantDescs.CD_int))
              .areturn();
        });
    members(c, TYPES);
  }

  private void supertypes(ClassBuilder c, int number, int percent) {
    List<ClassDesc> interfaces = new ArrayList<>();
    for (int i = 0; i < Math.min(number, INTERFACES); i++) {
      if (chance(percent)) {
        interfaces.add(type(i));
      }
    }
    c.withInterfaceSymbols(interfaces).withSuperclass(superclasses[number]);
  }

  private void type(ClassBuilder c, int number) {
    boolean isInterface = number < INTERFACES;
    c.withFlags(
        ClassFile.ACC_PUBLIC
            | (isInterface ? ClassFile.ACC_INTERFACE | ClassFile.ACC_ABSTRACT : 0));
    supertypes(c, number, 40);
    members(c, number);
    if (chance(60)) {
      c.withMethodBody("w", INT, STATIC, this::working);
    }
    if (chance(35)) {
      c.withMethodBody("m", INT, ClassFile.ACC_PUBLIC, this::working);
    }
    if (!isInterface) {
      c.withMethodBody("<init>", VOID, ClassFile.ACC_PUBLIC, code -> constructor(code, number));
      if (chance(20)) {
        int flags = chance(80) ? ClassFile.ACC_PUBLIC : chance(50) ? STATIC : ClassFile.ACC_PRIVATE;
        c.withMethodBody(
            "finalize",
            VOID,
            flags,
            code -> {
              work(code, 15);
              code.return_();
            });
      }
    }
  }

  private void constructor(CodeBuilder code, int number) {
    code.aload(0).invokespecial(superclasses[number], "<init>", VOID);
    work(code, 3);
    code.return_();
  }

  private void working(CodeBuilder code) {
    work(code, 6);
    code.loadConstant(random.nextInt(-3, 200)).ireturn();
  }

  /// Adds static fields and an initializer.
  private void members(ClassBuilder c, int number) {
    boolean isInterface = number < INTERFACES;
    int flags = STATIC | (isInterface ? ClassFile.ACC_FINAL : 0);
    List<String> assigned = new ArrayList<>();
    for (String field : List.of("a", "b")) {
      if (chance(40)) {
        boolean isConstant = chance(40);
        c.withField(
            field,
            ConstantDescs.CD_int,
            f -> {
              f.withFlags(flags);
              if (isConstant) {
                f.with(ConstantValueAttribute.of(random.nextInt(-5, 300)));
              }
            });
        if (!isConstant) {
          assigned.add(field);
        }
      }
    }
    boolean hasText = chance(30);
    if (hasText) {
      c.withField(
          "s",
          ConstantDescs.CD_String,
          f ->
              f.withFlags(flags)
                  .with(ConstantValueAttribute.of("s".repeat(random.nextInt(0, 90)))));
    }
    if (chance(60)) {
      c.withMethodBody(
          "<clinit>",
          VOID,
          ClassFile.ACC_STATIC,
          code -> initializer(code, owner(number), assigned));
    }
  }

  private static ClassDesc owner(int number) {
    return number == TYPES ? MAIN : type(number);
  }

  private void initializer(CodeBuilder code, ClassDesc owner, List<String> assigned) {
    work(code, 8);
    for (String field : assigned) {
      code.loadConstant(random.nextInt(-5, 300)).putstatic(owner, field, ConstantDescs.CD_int);
    }
    if (chance(15)) {
      ClassDesc other = type(random.nextInt(TYPES));
      code.getstatic(other, chance(50) ? "a" : "b", ConstantDescs.CD_int).pop();
    }
    if (chance(10)) {
      code.new_(EXCEPTION).dup().invokespecial(EXCEPTION, "<init>", VOID).athrow();
    } else {
      code.return_();
    }
  }

  /// Writes a loop with a few rounds or without an end.
  private void work(CodeBuilder code, int percentEndless) {
    Label head = code.newLabel();
    Label end = code.newLabel();
    int counter = code.allocateLocal(java.lang.classfile.TypeKind.INT);
    int rounds = ROUNDS[random.nextInt(ROUNDS.length)];
    code.iconst_0().istore(counter).labelBinding(head);
    if (chance(percentEndless)) {
      code.iload(counter).iflt(end).iconst_1().istore(counter).goto_(head);
    } else {
      code.iload(counter).loadConstant(rounds).if_icmpge(end).iinc(counter, 1).goto_(head);
    }
    code.labelBinding(end);
  }

  /// Writes a class that extends `Enum` and can have any ordinal and name.
  private void number(ClassBuilder c) {
    ClassDesc above = ClassDesc.of("java.lang.Enum");
    c.withFlags(ClassFile.ACC_PUBLIC).withSuperclass(above);
    c.withMethodBody(
        "<init>",
        NAMED,
        ClassFile.ACC_PUBLIC,
        code -> code.aload(0).aload(1).iload(2).invokespecial(above, "<init>", NAMED).return_());
  }

  private void failure(ClassBuilder c) {
    ClassDesc above = ClassDesc.of("java.lang.RuntimeException");
    c.withFlags(ClassFile.ACC_PUBLIC).withSuperclass(above);
    c.withMethodBody(
        "<init>",
        VOID,
        ClassFile.ACC_PUBLIC,
        code -> code.aload(0).invokespecial(above, "<init>", VOID).return_());
    if (chance(30)) {
      c.withMethodBody(
          "getStackTrace",
          MethodTypeDesc.of(TRACE),
          ClassFile.ACC_PUBLIC,
          code -> {
            work(code, 20);
            code.iconst_0().anewarray(TRACE.componentType()).areturn();
          });
    }
    if (chance(6)) {
      ClassDesc throwable = ConstantDescs.CD_Throwable;
      c.withMethodBody(
          "fillInStackTrace",
          MethodTypeDesc.of(throwable),
          ClassFile.ACC_PUBLIC,
          code -> {
            work(code, 50);
            code.aload(0).areturn();
          });
    }
  }
}
