package sluice.domain.portal.copy;

import static java.lang.constant.ConstantDescs.CD_Class;
import static java.lang.constant.ConstantDescs.CD_MethodHandle;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.MTD_void;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Generates the copier of a record or a plain class. The copier is a hidden class of this module
/// whose constants are method handles. Therefore neither party's loader has to know Sluice, and the
/// compiler inlines the handles. Any thread may call.
///
/// Fields are read directly, so no accessor of the sender is run. A record is created by its
/// canonical constructor, and any other object by its constructor without parameters. Both
/// constructors belong to the receiver.
final class ObjectCopiers {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ClassDesc CONTEXT = desc(CopyContext.class);
  private static final ClassDesc SELF =
      ClassDesc.of(ObjectCopiers.class.getPackageName() + ".Generated");
  private static final MethodTypeDesc COPY = MethodTypeDesc.of(CD_Object, CD_Object, CONTEXT);
  private static final ClassDesc LIST = desc(ArrayList.class);
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(CD_int, CD_Object, LIST, CD_int, CD_int, LIST, CONTEXT);
  private static final MethodTypeDesc OBJECT_TO_OBJECT = MethodTypeDesc.of(CD_Object, CD_Object);
  private static final int THIS_SOURCE = 1;
  private static final int THE_CONTEXT = 2;
  private static final int THE_COPY = 3;

  private ObjectCopiers() {}

  /// Returns the reason why a class cannot be copied field by field, or null if it can.
  static @Nullable String whyNot(Class<?> type) {
    if (type.isRecord()) {
      return null;
    }
    for (Class<?> level = type; level != Object.class; level = level.getSuperclass()) {
      if (Counterparts.isOfJdk(level)) {
        return "it extends " + level.getName() + ", whose fields are the JDK's own.";
      }
      for (Field field : Shape.instanceFields(level)) {
        if (Modifier.isFinal(field.getModifiers())) {
          return "its field " + field.getName() + " is final.";
        }
      }
    }
    for (Constructor<?> constructor : type.getDeclaredConstructors()) {
      if (constructor.getParameterCount() == 0) {
        return null;
      }
    }
    return "it has no constructor without parameters.";
  }

  /// Returns true if no field of a class refers to another object other than a string.
  static boolean isLeaf(Class<?> type) {
    for (Class<?> level = type; level != Object.class; level = level.getSuperclass()) {
      for (Field field : Shape.instanceFields(level)) {
        if (!leadsNowhere(field.getType())) {
          return false;
        }
      }
    }
    return true;
  }

  static Copier make(Class<?> type, Copiers copiers) {
    Shape shape = Shape.of(type, copiers.counterparts());
    List<Object> constants = new ArrayList<>();
    Map<Class<?>, Copier> ofFields = new HashMap<>();
    for (Shape.Part part : shape.fields()) {
      Copier copier = leadsNowhere(part.type()) ? null : CopierChoice.ofField(part.type(), copiers);
      if (copier != null) {
        ofFields.put(part.type(), copier);
      }
    }
    byte[] code =
        ClassFile.of()
            .build(
                SELF,
                builder ->
                    builder
                        .withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER)
                        .withInterfaceSymbols(desc(Copier.class))
                        .withMethodBody(
                            ConstantDescs.INIT_NAME,
                            MTD_void,
                            ClassFile.ACC_PUBLIC,
                            body ->
                                body.aload(0)
                                    .invokespecial(CD_Object, ConstantDescs.INIT_NAME, MTD_void)
                                    .return_())
                        .withMethodBody(
                            "copy",
                            COPY,
                            ClassFile.ACC_PUBLIC,
                            body -> copy(body, shape, ofFields, constants))
                        .withMethodBody(
                            "run", RUN, ClassFile.ACC_PUBLIC, body -> run(body, type, constants)));
    try {
      MethodHandles.Lookup made =
          LOOKUP.defineHiddenClassWithClassData(code, List.copyOf(constants), true);
      return (Copier)
          made.findConstructor(made.lookupClass(), MethodType.methodType(void.class)).invoke();
    } catch (Throwable e) {
      throw new IllegalStateException("the copier of " + type.getName() + " is no valid class", e);
    }
  }

  /// Generates the loop of [Copier#run]:
  ///
  /// ```
  /// do {
  ///   context.next(type, this);
  ///   to.add(copy(each, context));
  ///   if (++at == size) return at;
  ///   each = element(from, at);
  /// } while (isOf(each, type));
  /// return at;
  /// ```
  private static void run(CodeBuilder body, Class<?> type, List<Object> constants) {
    int first = 1;
    int from = 2;
    int at = 3;
    int size = 4;
    int to = 5;
    int context = 6;
    Label loop = body.newLabel();
    Label end = body.newLabel();
    body.labelBinding(loop).aload(context);
    type(body, type, constants);
    onContext(body.aload(0), "next", MethodTypeDesc.of(CD_void, CD_Class, desc(Copier.class)));
    body.aload(to)
        .aload(0)
        .aload(first)
        .aload(context)
        .invokevirtual(SELF, "copy", COPY)
        .invokevirtual(LIST, "add", MethodTypeDesc.of(CD_boolean, CD_Object))
        .pop()
        .iinc(at, 1)
        .iload(at)
        .iload(size)
        .if_icmpge(end)
        .aload(from)
        .iload(at)
        .invokestatic(desc(JdkCopiers.class), "element", MethodTypeDesc.of(CD_Object, LIST, CD_int))
        .astore(first)
        .aload(first);
    type(body, type, constants);
    body.invokestatic(
            desc(ObjectCopiers.class), "isOf", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Class))
        .ifne(loop)
        .labelBinding(end)
        .iload(at)
        .ireturn();
  }

  /// Returns true if an object is of exactly the given class. Called by generated code.
  static boolean isOf(@Nullable Object object, Class<?> type) {
    return object != null && object.getClass() == type;
  }

  private static void type(CodeBuilder body, Class<?> type, List<Object> constants) {
    constant(body, type, CD_Class, constants);
  }

  private static void copy(
      CodeBuilder body, Shape shape, Map<Class<?>, Copier> ofFields, List<Object> constants) {
    Label unknown = body.newLabel();
    onContext(body.aload(THE_CONTEXT).aload(THIS_SOURCE), "met", OBJECT_TO_OBJECT)
        .astore(THE_COPY)
        .aload(THE_COPY)
        .ifnull(unknown)
        .aload(THE_COPY)
        .areturn()
        .labelBinding(unknown);
    if (!shape.isRecord() && mayBeService(shape.type())) {
      Label plain = body.newLabel();
      onContext(body.aload(THE_CONTEXT).aload(THIS_SOURCE), "reference", OBJECT_TO_OBJECT)
          .astore(THE_COPY)
          .aload(THE_COPY)
          .ifnull(plain)
          .aload(THE_COPY)
          .areturn()
          .labelBinding(plain);
    }
    onContext(
        body.aload(THE_CONTEXT).aload(THIS_SOURCE).loadConstant(bytes(shape)),
        "enter",
        MethodTypeDesc.of(CD_void, CD_Object, CD_long));
    if (shape.isRecord()) {
      record(body, shape, ofFields, constants);
    } else {
      object(body, shape, ofFields, constants);
    }
  }

  private static void record(
      CodeBuilder body, Shape shape, Map<Class<?>, Copier> ofFields, List<Object> constants) {
    body.aload(THE_CONTEXT).aload(THIS_SOURCE);
    constant(body, shape.maker(), constants);
    for (Shape.Part part : shape.fields()) {
      value(body, part, ofFields, constants);
    }
    invoke(body, shape.maker());
    onContext(body, "built", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object)).areturn();
  }

  private static void object(
      CodeBuilder body, Shape shape, Map<Class<?>, Copier> ofFields, List<Object> constants) {
    boolean isLeaf = shape.fields().stream().allMatch(part -> leadsNowhere(part.type()));
    constant(body, shape.maker(), constants);
    invoke(body, shape.maker());
    body.astore(THE_COPY);
    if (!isLeaf) {
      body.aload(THE_CONTEXT).aload(THIS_SOURCE).aload(THE_COPY);
      onContext(body, "shell", MethodTypeDesc.of(CD_void, CD_Object, CD_Object));
    }
    for (Shape.Part part : shape.fields()) {
      MethodHandle setter = java.util.Objects.requireNonNull(part.setter());
      constant(body, setter, constants);
      body.aload(THE_COPY);
      value(body, part, ofFields, constants);
      invoke(body, setter);
    }
    body.aload(THE_CONTEXT);
    if (isLeaf) {
      body.aload(THIS_SOURCE).aload(THE_COPY);
      onContext(body, "built", MethodTypeDesc.of(CD_Object, CD_Object, CD_Object)).areturn();
    } else {
      onContext(body, "complete", MTD_void).aload(THE_COPY).areturn();
    }
  }

  /// Returns true if a field of the given type does not refer to another object that is visited, so
  /// that it cannot be part of a cycle.
  private static boolean leadsNowhere(Class<?> type) {
    return type.isPrimitive() || type == String.class;
  }

  /// Generates code that pushes the copy of one field onto the stack.
  private static void value(
      CodeBuilder body, Shape.Part part, Map<Class<?>, Copier> ofFields, List<Object> constants) {
    Copier copier = ofFields.get(part.type());
    if (!part.type().isPrimitive()) {
      body.aload(THE_CONTEXT);
    }
    constant(body, part.getter(), constants);
    body.aload(THIS_SOURCE);
    invoke(body, part.getter());
    if (part.type() == String.class) {
      onContext(body, "string", OBJECT_TO_OBJECT);
    } else if (PortalInterfaces.is(part.type())) {
      type(body, part.type(), constants);
      onContext(body, "declared", MethodTypeDesc.of(CD_Object, CD_Object, CD_Class));
    } else if (copier != null) {
      type(body, part.type(), constants);
      constant(body, copier, desc(Copier.class), constants);
      onContext(
          body, "expected", MethodTypeDesc.of(CD_Object, CD_Object, CD_Class, desc(Copier.class)));
    } else if (!part.type().isPrimitive()) {
      onContext(body, "any", OBJECT_TO_OBJECT);
    }
  }

  private static void constant(CodeBuilder body, MethodHandle handle, List<Object> constants) {
    constant(body, handle, CD_MethodHandle, constants);
  }

  private static void constant(
      CodeBuilder body, Object value, ClassDesc type, List<Object> constants) {
    constants.add(value);
    body.loadConstant(
        DynamicConstantDesc.ofNamed(
            ConstantDescs.BSM_CLASS_DATA_AT, "_", type, constants.size() - 1));
  }

  private static void invoke(CodeBuilder body, MethodHandle handle) {
    body.invokevirtual(
        CD_MethodHandle, "invokeExact", handle.type().describeConstable().orElseThrow());
  }

  private static CodeBuilder onContext(CodeBuilder body, String method, MethodTypeDesc type) {
    return body.invokevirtual(CONTEXT, method, type);
  }

  private static boolean mayBeService(Class<?> type) {
    for (Class<?> level = type; level != null; level = level.getSuperclass()) {
      for (Class<?> implemented : level.getInterfaces()) {
        if (PortalInterfaces.is(implemented)) {
          return true;
        }
      }
    }
    return false;
  }

  /// Returns an upper bound on an object's heap size, assuming references of eight bytes.
  private static long bytes(Shape shape) {
    long bytes = 16;
    for (Shape.Part part : shape.fields()) {
      Class<?> type = part.type();
      boolean small =
          type == int.class
              || type == float.class
              || type == short.class
              || type == char.class
              || type == byte.class
              || type == boolean.class;
      bytes += small ? 4 : 8;
    }
    return bytes;
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }
}
