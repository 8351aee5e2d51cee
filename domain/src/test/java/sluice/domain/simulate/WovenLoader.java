package sluice.domain.simulate;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Loads copies of classes in which each access to a field and each call is a point of a
/// [Simulation], and monitors, waits and the clock are its own. Other classes are the parent's.
final class WovenLoader extends ClassLoader {
  private static final ClassDesc SIMULATION = ClassDesc.of(Simulation.class.getName());
  private static final MethodTypeDesc OF_OBJECT =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);
  private static final String BODY = "$body";
  private static final String OF_FUNCTION =
      "(Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;";

  private record Instead(String name, String type) {}

  private static final Map<String, Instead> CALLS =
      Map.of(
          "java/lang/Object.notifyAll()V",
          new Instead("notifyAll", "(Ljava/lang/Object;)V"),
          "java/lang/Object.wait(J)V",
          new Instead("wait", "(Ljava/lang/Object;J)V"),
          "java/util/concurrent/TimeUnit.timedWait(Ljava/lang/Object;J)V",
          new Instead("timedWait", "(Ljava/util/concurrent/TimeUnit;Ljava/lang/Object;J)V"),
          "java/util/Map.computeIfAbsent" + OF_FUNCTION,
          new Instead("computeIfAbsent", "(Ljava/util/Map;" + OF_FUNCTION.substring(1)),
          "java/lang/System.nanoTime()J",
          new Instead("nanos", "()J"),
          "java/util/concurrent/locks/LockSupport.parkNanos(J)V",
          new Instead("parkNanos", "(J)V"));

  private final List<String> prefixes;

  /// @param prefixes of the names of the classes that are copied
  WovenLoader(ClassLoader parent, List<String> prefixes) {
    super(parent);
    this.prefixes = prefixes;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (prefixes.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known == null ? define(name) : known;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = Simulation.class.getModule().getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] woven = weave(in.readAllBytes());
      return defineClass(name, woven, 0, woven.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static byte[] weave(byte[] bytes) {
    ClassFile files = ClassFile.of();
    ClassModel model = files.parse(bytes);
    return files.transformClass(model, (builder, element) -> weave(builder, element, model));
  }

  private static void weave(ClassBuilder builder, ClassElement element, ClassModel model) {
    if (!(element instanceof MethodModel method) || method.code().isEmpty()) {
      builder.with(element);
      return;
    }
    boolean isInitializer = method.methodName().stringValue().startsWith("<");
    MethodTransform transform =
        MethodTransform.transformingCode((code, each) -> weave(code, each, isInitializer));
    int flags = method.flags().flagsMask();
    if ((flags & ClassFile.ACC_SYNCHRONIZED) == 0) {
      builder.transformMethod(method, transform);
      return;
    }
    String name = method.methodName().stringValue();
    MethodTypeDesc type = method.methodTypeSymbol();
    int plain = flags & ~ClassFile.ACC_SYNCHRONIZED;
    builder.withMethod(
        name + BODY,
        type,
        plain,
        body -> method.code().ifPresent(code -> body.transformCode(code, transformCode())));
    builder.withMethodBody(
        name, type, plain, code -> enclose(code, model.thisClass().asSymbol(), name, type));
  }

  private static java.lang.classfile.CodeTransform transformCode() {
    return (code, each) -> weave(code, each, false);
  }

  /// A synchronized method of an object, as a call of its body between the two steps of a monitor.
  private static void enclose(CodeBuilder code, ClassDesc owner, String name, MethodTypeDesc type) {
    code.aload(0).invokestatic(SIMULATION, "enter", OF_OBJECT);
    code.trying(
        tried -> {
          tried.aload(0);
          for (int i = 0; i < type.parameterCount(); i++) {
            tried.loadLocal(TypeKind.from(type.parameterType(i)), tried.parameterSlot(i));
          }
          tried.invokevirtual(owner, name + BODY, type);
          tried.aload(0).invokestatic(SIMULATION, "exit", OF_OBJECT);
          tried.return_(TypeKind.from(type.returnType()));
        },
        catches ->
            catches.catchingAll(
                caught -> caught.aload(0).invokestatic(SIMULATION, "exit", OF_OBJECT).athrow()));
  }

  private static void weave(CodeBuilder code, CodeElement element, boolean isInitializer) {
    switch (element) {
      case MonitorInstruction monitor ->
          code.invokestatic(
              SIMULATION, monitor.opcode() == Opcode.MONITORENTER ? "enter" : "exit", OF_OBJECT);
      case InvokeInstruction call -> {
        Instead instead = instead(call);
        if (instead != null) {
          code.invokestatic(SIMULATION, instead.name, MethodTypeDesc.ofDescriptor(instead.type));
        } else {
          point(code, isInitializer);
          code.with(call);
        }
      }
      case FieldInstruction field -> {
        point(code, isInitializer);
        code.with(field);
      }
      default -> code.with(element);
    }
  }

  private static @Nullable Instead instead(InvokeInstruction call) {
    String member = call.name().stringValue() + call.type().stringValue();
    Instead found = CALLS.get(call.owner().asInternalName() + "." + member);
    boolean isOfObject =
        call.opcode() == Opcode.INVOKEVIRTUAL || call.opcode() == Opcode.INVOKEINTERFACE;
    return found != null || !isOfObject ? found : CALLS.get("java/lang/Object." + member);
  }

  private static void point(CodeBuilder code, boolean isInitializer) {
    if (!isInitializer) {
      code.invokestatic(SIMULATION, "point", ConstantDescs.MTD_void);
    }
  }
}
