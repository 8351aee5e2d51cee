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
import java.util.HashMap;
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
  /// Before calls by one class alone.
  private static final String LOCAL = "sluice/domain/carrier/LocalScheduler:";

  private static final String OF_FUNCTION =
      "(Ljava/lang/Object;Ljava/util/function/Function;)Ljava/lang/Object;";

  private static final String THREAD = "Ljava/lang/Thread;";
  private static final String BEAN = "com/sun/management/ThreadMXBean.";
  private static final String OF_BEAN = "(Lcom/sun/management/ThreadMXBean;";
  private static final String LOCKS = "java/util/concurrent/locks/LockSupport.";
  private static final String SYS = "sluice/sys/threads/";
  private static final String BUILDER = "Ljava/lang/Thread$Builder$OfVirtual;";
  private static final String TO_BUILDER = "(Ljava/util/concurrent/Executor;)" + BUILDER;
  private static final String TO_DAEMON = "(Ljava/lang/String;Ljava/lang/Runnable;)" + THREAD;

  /// A static method that is called in place of another.
  private record Call(ClassDesc owner, String name, String type) {}

  private static final Map<String, Call> CALLS = new HashMap<>();

  private static void simulated(String from, String name, String type) {
    CALLS.put(from, new Call(SIMULATION, name, type));
  }

  private static void instead(String from, String name, String type) {
    CALLS.put(from, new Call(ClassDesc.of(Instead.class.getName()), name, type));
  }

  /// A static method of the same type.
  private static void same(String from, String to) {
    instead(from, to, from.substring(from.indexOf('(')));
  }

  static {
    simulated("java/lang/Object.notifyAll()V", "notifyAll", "(Ljava/lang/Object;)V");
    simulated("java/lang/Object.wait(J)V", "wait", "(Ljava/lang/Object;J)V");
    simulated(
        "java/util/concurrent/TimeUnit.timedWait(Ljava/lang/Object;J)V",
        "timedWait",
        "(Ljava/util/concurrent/TimeUnit;Ljava/lang/Object;J)V");
    simulated(
        "java/util/Map.computeIfAbsent" + OF_FUNCTION,
        "computeIfAbsent",
        "(Ljava/util/Map;" + OF_FUNCTION.substring(1));
    simulated("java/lang/System.nanoTime()J", "nanos", "()J");
    same(LOCKS + "park()V", "park");
    same(LOCKS + "park(Ljava/lang/Object;)V", "park");
    same(LOCKS + "parkNanos(J)V", "parkNanos");
    same(LOCKS + "parkNanos(Ljava/lang/Object;J)V", "parkNanos");
    same(LOCKS + "unpark(" + THREAD + ")V", "unpark");
    same("java/lang/Thread.currentThread()" + THREAD, "currentThread");
    same("java/lang/Thread.yield()V", "yield");
    instead("java/lang/Thread.start()V", "start", "(" + THREAD + ")V");
    instead("sluice/domain/carrier/Worker.start()V", "startPlatform", "(" + THREAD + ")V");
    instead(
        "java/lang/Thread$Builder$OfVirtual.unstarted(Ljava/lang/Runnable;)" + THREAD,
        "unstarted",
        "(" + BUILDER + "Ljava/lang/Runnable;)" + THREAD);
    instead(
        "java/lang/ThreadGroup.uncaughtException(" + THREAD + "Ljava/lang/Throwable;)V",
        "uncaught",
        "(Ljava/lang/ThreadGroup;" + THREAD + "Ljava/lang/Throwable;)V");
    same(SYS + "VirtualThreads.on" + TO_BUILDER, "on");
    same(SYS + "VirtualThreads.carrier()" + THREAD, "carrier");
    same(SYS + "VirtualThreads.continuation(" + THREAD + ")Ljava/lang/Runnable;", "continuation");
    same(SYS + "HostThread.daemon" + TO_DAEMON, "daemon");
    same(SYS + "HostThread.group()Ljava/lang/ThreadGroup;", "group");
    same(SYS + "Affinity.processors()Ljava/util/List;", "processors");
    same(SYS + "Affinity.bind(I)I", "bind");
    instead(BEAN + "getCurrentThreadCpuTime()J", "currentCpu", OF_BEAN + ")J");
    instead(BEAN + "getThreadCpuTime(J)J", "cpu", OF_BEAN + "J)J");
    instead(BEAN + "getCurrentThreadAllocatedBytes()J", "currentBytes", OF_BEAN + ")J");
    instead(BEAN + "getThreadAllocatedBytes(J)J", "bytes", OF_BEAN + "J)J");
    instead(
        LOCAL + "java/util/Map.values()Ljava/util/Collection;",
        "values",
        "(Ljava/util/Map;)Ljava/util/Collection;");
  }

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
    String own = model.thisClass().asInternalName();
    MethodTransform transform =
        MethodTransform.transformingCode((code, each) -> weave(code, each, own, isInitializer));
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
        body -> method.code().ifPresent(code -> body.transformCode(code, (part, each) -> weave(part, each, own, false))));
    builder.withMethodBody(
        name, type, plain, code -> enclose(code, model.thisClass().asSymbol(), name, type));
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

  private static void weave(
      CodeBuilder code, CodeElement element, String own, boolean isInitializer) {
    switch (element) {
      case MonitorInstruction monitor ->
          code.invokestatic(
              SIMULATION, monitor.opcode() == Opcode.MONITORENTER ? "enter" : "exit", OF_OBJECT);
      case InvokeInstruction call -> {
        Call instead = instead(call, own);
        if (instead != null) {
          point(code, isInitializer);
          code.invokestatic(instead.owner, instead.name, MethodTypeDesc.ofDescriptor(instead.type));
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

  private static @Nullable Call instead(InvokeInstruction call, String own) {
    String member = call.name().stringValue() + call.type().stringValue();
    String name = call.owner().asInternalName() + "." + member;
    Call found = CALLS.getOrDefault(own + ":" + name, CALLS.get(name));
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
