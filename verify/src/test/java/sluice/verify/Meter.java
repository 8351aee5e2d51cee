package sluice.verify;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Counts the bytecodes that instrumented classes execute, finalizers too. The count is one
/// thread's; a test that meters runs alone in it.
public final class Meter {
  private static final ClassDesc METER = ClassDesc.of("sluice.verify.Meter");
  private static final MethodTypeDesc TICK = MethodTypeDesc.ofDescriptor("()V");
  private static final MethodTypeDesc MAKES = MethodTypeDesc.ofDescriptor("(Ljava/lang/Object;)V");

  /// Ends code that runs beyond its bound. No handler of test code catches it for good: each
  /// instruction throws again.
  @SuppressWarnings("serial")
  static final class Exceeded extends Error {
    Exceeded() {
      super("the bound is exceeded", null, false, false);
    }
  }

  private static final Set<Object> MADE = Collections.newSetFromMap(new IdentityHashMap<>());
  private static long count;
  private static long most;
  private static long initializers;
  private static Thread metered = Thread.currentThread();

  private Meter() {}

  static void start(long limit) {
    metered = Thread.currentThread();
    count = 0;
    most = limit;
    initializers = 0;
    MADE.clear();
  }

  static long count() {
    return count;
  }

  /// Called before each instruction. The collector's own thread, which runs finalizers as well, is
  /// sent back at once.
  public static void tick() {
    if (Thread.currentThread() != metered) {
      throw new Exceeded();
    }
    count++;
    if (count > most) {
      throw new Exceeded();
    }
  }

  /// Called when an initializer begins.
  public static void initializes() {
    initializers++;
  }

  /// How many initializers began.
  static long initializers() {
    return initializers;
  }

  /// Called at the end of each constructor.
  public static void makes(Object made) {
    if (Thread.currentThread() == metered) {
      MADE.add(made);
    }
  }

  /// Does what the collector does later: calls the finalizer of each object that was made.
  static void runFinalizers() throws IllegalAccessException {
    for (Object made : List.copyOf(MADE)) {
      java.lang.reflect.Method finalizer = finalizer(made.getClass());
      if (finalizer != null) {
        try {
          finalizer.invoke(made);
        } catch (java.lang.reflect.InvocationTargetException e) {
          // The collector goes on too.
        }
      }
    }
  }

  private static java.lang.reflect.@Nullable Method finalizer(Class<?> type) {
    for (Class<?> at = type; at.getClassLoader() instanceof Loader; at = at.getSuperclass()) {
      for (java.lang.reflect.Method method : at.getDeclaredMethods()) {
        int modifiers = method.getModifiers();
        if (method.getName().equals("finalize")
            && method.getParameterCount() == 0
            && !Modifier.isStatic(modifiers)
            && !Modifier.isPrivate(modifiers)) {
          method.setAccessible(true);
          return method;
        }
      }
    }
    return null;
  }

  /// The class with a tick before each instruction.
  static byte[] instrument(byte[] bytes) {
    ClassFile file = ClassFile.of();
    return file.transformClass(
        file.parse(bytes),
        (builder, element) -> {
          if (element instanceof MethodModel method) {
            builder.transformMethod(
                method,
                MethodTransform.transformingCode(ticking(method.methodName().stringValue())));
          } else {
            builder.with(element);
          }
        });
  }

  private static CodeTransform ticking(String name) {
    CodeTransform ticks =
        (builder, element) -> {
          if (element instanceof Instruction) {
            builder.invokestatic(METER, "tick", TICK);
          }
          if (element instanceof ReturnInstruction && name.equals("<init>")) {
            builder.aload(0).invokestatic(METER, "makes", MAKES);
          }
          builder.with(element);
        };
    return name.equals("<clinit>")
        ? CodeTransform.ofStateful(() -> ticks.andThen(new Beginning()))
        : ticks;
  }

  /// Says once that an initializer begins.
  private static final class Beginning implements CodeTransform {
    @Override
    public void atStart(CodeBuilder builder) {
      builder.invokestatic(METER, "initializes", TICK);
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      builder.with(element);
    }
  }

  /// Defines instrumented classes; all else comes from the test's loader.
  static final class Loader extends ClassLoader {
    private final Map<String, byte[]> classes;

    Loader(Map<String, byte[]> classes) {
      super(Meter.class.getClassLoader());
      this.classes = classes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        if (loaded == null) {
          byte[] metered = instrument(bytes);
          loaded = defineClass(name, metered, 0, metered.length);
        }
        return loaded;
      }
    }
  }
}
