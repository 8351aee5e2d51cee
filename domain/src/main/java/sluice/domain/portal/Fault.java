package sluice.domain.portal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;

/// An exception on its way to the caller: what is known of it without its object. Made by the
/// thread that ran the service, because `getMessage` is code of its party.
record Fault(Class<?> type, @Nullable String message) {
  static Fault of(Throwable thrown) {
    String message;
    try {
      message = thrown.getMessage();
    } catch (Throwable e) { // whatever it throws, the caller gets an outcome
      message = "(its getMessage threw " + e.getClass().getName() + ")";
    }
    return new Fault(thrown.getClass(), message);
  }

  /// An exception of the caller's class of that name, or a [RemoteFault].
  Throwable forCaller(ClassLoader caller) {
    try {
      Class<?> known = Class.forName(type.getName(), false, caller);
      if (hasOwnFields(known) || hasOwnFields(type)) {
        return new RemoteFault(type.getName(), message);
      }
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      MethodHandle maker =
          lookup.findConstructor(known, MethodType.methodType(void.class, String.class));
      return (Throwable) maker.invoke(message);
    } catch (Throwable e) {
      return new RemoteFault(type.getName(), message);
    }
  }

  /// Fields outside the JDK would be lost.
  private static boolean hasOwnFields(Class<?> type) {
    for (Class<?> level = type; isOfProgram(level); level = level.getSuperclass()) {
      for (Field field : level.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isOfProgram(@Nullable Class<?> level) {
    return level != null
        && level.getClassLoader() != null
        && level.getClassLoader() != ClassLoader.getPlatformClassLoader();
  }
}
