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

/// Counts the bytecodes that instrumented classes execute, including finalizers. Only the bytecodes
/// of one thread are counted, so only one test may use the meter at a time.
public final class Meter {
  private static final ClassDesc METER = ClassDesc.of("sluice.verify.Meter");
  private static final MethodTypeDesc TICK = MethodTypeDesc.ofDescriptor("()V");
  private static final MethodTypeDesc MAKES = MethodTypeDesc.ofDescriptor("(Ljava/lang/Object;)V");

  /// Ends code that exceeds its bound. A handler in the test code cannot stop it, because the next
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

  /// Counts one bytecode. Instrumented code calls it before each instruction. The garbage
  /// collector's thread, which also runs finalizers, is stopped with an exception at once.
  public static void tick() {
    if (Thread.currentThread() != metered) {
      throw new Exceeded();
    }
    count++;
    if (count > most) {
      throw new Exceeded();
    }
  }

  /// Counts an initializer. Instrumented code calls it at the start of each class initializer.
  public static void initializes() {
    initializers++;
  }

  /// Returns the number of initializers that have begun.
  static long initializers() {
    return initializers;
  }

  /// Records an object. Instrumented code calls it at the end of each constructor.
  public static void makes(Object made) {
    if (Thread.currentThread() == metered) {
      MADE.add(made);
    }
  }

  /// Calls the finalizer of each object that was created, as the garbage collector would do later.
  static void runFinalizers() throws IllegalAccessException {
    for (Object made : List.copyOf(MADE)) {
      java.lang.reflect.Method finalizer = finalizer(made.getClass());
      if (finalizer != null) {
        try {
          finalizer.invoke(made);
        } catch (java.lang.reflect.InvocationTargetException e) {
          // The garbage collector ignores exceptions of finalizers too.
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

  /// Returns the class with a call of `tick` before each instruction.
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

  /// Adds a call of `initializes` at the start of an initializer.
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

  /// Defines the instrumented classes and delegates all others to the test's loader.
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
