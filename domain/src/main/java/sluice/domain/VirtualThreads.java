package sluice.domain;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Virtual threads on carriers of one's own. Any thread may call.
///
/// The JDK has this inside and does not export it; `--add-opens java.base/java.lang=sluice.domain`
/// opens it.
final class VirtualThreads {
  private static final @Nullable Constructor<?> BUILDER = find();

  private VirtualThreads() {}

  private static @Nullable Constructor<?> find() {
    try {
      Constructor<?> found =
          Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
              .getDeclaredConstructor(Executor.class);
      return found.trySetAccessible() ? found : null;
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  static boolean isAvailable() {
    return BUILDER != null;
  }

  static Thread.Builder.OfVirtual on(Executor carriers) {
    if (BUILDER == null) {
      throw new UnsupportedOperationException(
          "a virtual thread in a domain. Why: this JVM does not let a domain have carriers of its"
              + " own, and threads on those of the JVM could not be counted. Fix: start Java with"
              + " --add-opens java.base/java.lang=sluice.domain, as ./sluice does");
    }
    try {
      return (Thread.Builder.OfVirtual) BUILDER.newInstance(carriers);
    } catch (InstantiationException | IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }
}
