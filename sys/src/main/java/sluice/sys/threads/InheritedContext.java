package sluice.sys.threads;

import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/// What a thread has of the thread that started it: the context class loader and inheritable thread
/// locals. Any thread may call.
///
/// `Thread.inheritableThreadLocals` is private; [VirtualThreads#OPTION] opens it. A thread reads it
/// only when it starts another or asks for a local itself, so it may be taken away at any time.
public final class InheritedContext {
  private static final @Nullable Field LOCALS = find();

  private InheritedContext() {}

  private static @Nullable Field find() {
    try {
      Field found = Thread.class.getDeclaredField("inheritableThreadLocals");
      return found.trySetAccessible() ? found : null;
    } catch (NoSuchFieldException e) {
      return null;
    }
  }

  /// Takes both from a thread that goes on without them.
  ///
  /// @param loader is replaced by the system's; another one stays
  public static void release(Thread thread, @Nullable ClassLoader loader) {
    if (thread.getContextClassLoader() == loader) {
      thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    }
    try {
      if (LOCALS != null) {
        LOCALS.set(thread, null);
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
