package sluice.verify;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.Map;

/// Counts the bytecodes that instrumented classes execute. The count is one thread's; a test that
/// meters runs alone in it.
public final class Meter {
  private static final ClassDesc METER = ClassDesc.of("sluice.verify.Meter");
  private static final MethodTypeDesc TICK = MethodTypeDesc.ofDescriptor("()V");

  /// Ends code that runs beyond its bound. No handler of test code catches it for good: each
  /// instruction throws again.
  @SuppressWarnings("serial")
  static final class Exceeded extends Error {
    Exceeded() {
      super("the bound is exceeded", null, false, false);
    }
  }

  private static long count;
  private static long most;

  private Meter() {}

  static void start(long limit) {
    count = 0;
    most = limit;
  }

  static long count() {
    return count;
  }

  /// Called before each instruction.
  public static void tick() {
    count++;
    if (count > most) {
      throw new Exceeded();
    }
  }

  /// The class with a tick before each instruction.
  static byte[] instrument(byte[] bytes) {
    ClassFile file = ClassFile.of();
    CodeTransform ticking =
        (builder, element) -> {
          if (element instanceof Instruction) {
            builder.invokestatic(METER, "tick", TICK);
          }
          builder.with(element);
        };
    return file.transformClass(file.parse(bytes), ClassTransform.transformingMethodBodies(ticking));
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
