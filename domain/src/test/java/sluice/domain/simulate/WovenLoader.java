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
    same("java/lang/Thread.yield()V", "giveUp");
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
    same(SYS + "TimeSlice.threadNumber()I", "threadNumber");
    same(SYS + "TimeSlice.set(IJ)I", "slice");
    instead(BEAN + "getCurrentThreadCpuTime()J", "currentCpu", OF_BEAN + ")J");
    instead(BEAN + "getThreadCpuTime(J)J", "cpu", OF_BEAN + "J)J");
    instead(BEAN + "getCurrentThreadAllocatedBytes()J", "currentBytes", OF_BEAN + ")J");
    instead(BEAN + "getThreadAllocatedBytes(J)J", "bytes", OF_BEAN + "J)J");
    instead(
        LOCAL + "java/util/Map.values()Ljava/util/Collection;",
        "values",
        "(Ljava/util/Map;)Ljava/util/Collection;");
  }

  /// A fault that is put in: in one method, calls of another are left out.
  ///
  /// @param in simple name of the class, and the method: `Worker.await`
  /// @param call of the class and method that are not called
  /// @param instead the result of the calls, `true` or `false`, if they have one; or the method of
  ///   the same object that is called in their place, without parameters, for a number
  record Fault(String in, String call, String instead) {
    static final Fault NONE = new Fault("", "", "false");

    private boolean isIn(String type, String method) {
      return in.equals(simple(type) + "." + method);
    }

    private boolean leavesOut(InvokeInstruction other) {
      return call.equals(simple(other.owner().asInternalName()) + "." + other.name().stringValue());
    }

    private static String simple(String type) {
      return type.substring(type.lastIndexOf('/') + 1);
    }

    @Override
    public String toString() {
      return in + " without " + call;
    }
  }

  /// Where code is woven.
  ///
  /// @param type internal name of the class
  /// @param isFaulty whether the fault is put in here
  private record Place(String type, boolean isInitializer, boolean isFaulty) {}

  private final List<String> prefixes;
  private final Fault fault;

  /// @param prefixes of the names of the classes that are copied
  WovenLoader(ClassLoader parent, List<String> prefixes, Fault fault) {
    super(parent);
    this.prefixes = prefixes;
    this.fault = fault;
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

  private byte[] weave(byte[] bytes) {
    ClassFile files = ClassFile.of();
    ClassModel model = files.parse(bytes);
    return files.transformClass(model, (builder, element) -> weave(builder, element, model));
  }

  private void weave(ClassBuilder builder, ClassElement element, ClassModel model) {
    if (!(element instanceof MethodModel method) || method.code().isEmpty()) {
      builder.with(element);
      return;
    }
    String name = method.methodName().stringValue();
    String type = model.thisClass().asInternalName();
    Place place = new Place(type, isOfInitializer(model, name), fault.isIn(type, name));
    MethodTransform transform =
        MethodTransform.transformingCode((code, each) -> weave(code, each, place));
    int flags = method.flags().flagsMask();
    if ((flags & ClassFile.ACC_SYNCHRONIZED) == 0) {
      builder.transformMethod(method, transform);
      return;
    }
    MethodTypeDesc descriptor = method.methodTypeSymbol();
    int plain = flags & ~ClassFile.ACC_SYNCHRONIZED;
    builder.withMethod(
        name + BODY,
        descriptor,
        plain,
        body ->
            method
                .code()
                .ifPresent(code -> body.transformCode(code, (to, each) -> weave(to, each, place))));
    builder.withMethodBody(
        name,
        descriptor,
        plain,
        code -> enclose(code, model.thisClass().asSymbol(), name, descriptor));
  }

  /// Returns true if a method may run while its class is initialized: in the first run alone, which
  /// would be another one then.
  private static boolean isOfInitializer(ClassModel model, String method) {
    boolean isEnum = (model.flags().flagsMask() & ClassFile.ACC_ENUM) != 0;
    return method.startsWith("<") || (isEnum && method.endsWith("values"));
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

  private void weave(CodeBuilder code, CodeElement element, Place place) {
    switch (element) {
      case MonitorInstruction monitor ->
          code.invokestatic(
              SIMULATION, monitor.opcode() == Opcode.MONITORENTER ? "enter" : "exit", OF_OBJECT);
      case InvokeInstruction call -> {
        Call instead = instead(call, place.type);
        if (place.isFaulty && fault.leavesOut(call)) {
          leaveOut(code, call);
        } else if (instead != null) {
          point(code, place);
          code.invokestatic(instead.owner, instead.name, MethodTypeDesc.ofDescriptor(instead.type));
        } else {
          point(code, place);
          code.with(call);
        }
      }
      case FieldInstruction field -> {
        point(code, place);
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

  private void leaveOut(CodeBuilder code, InvokeInstruction call) {
    MethodTypeDesc type = call.typeSymbol();
    for (ClassDesc each : type.parameterList().reversed()) {
      if (TypeKind.from(each).slotSize() == 2) {
        code.pop2();
      } else {
        code.pop();
      }
    }
    if (!fault.instead.equals("true") && !fault.instead.equals("false")) {
      MethodTypeDesc ofNumber = MethodTypeDesc.of(ConstantDescs.CD_long);
      code.invokevirtual(call.owner().asSymbol(), fault.instead, ofNumber).pop2();
      return;
    }
    code.pop(); // the object of which it is a method
    if (!type.returnType().equals(ConstantDescs.CD_void)) {
      code.loadConstant(fault.instead.equals("true") ? 1 : 0);
    }
  }

  private static void point(CodeBuilder code, Place place) {
    if (!place.isInitializer) {
      code.invokestatic(SIMULATION, "point", ConstantDescs.MTD_void);
    }
  }
}
