package sluice.domain.portal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An exception that is passed to the caller. It contains the class, message, causes and suppressed
/// exceptions, but not the object itself. It is created by the thread that ran the service, because
/// `getMessage` and `getCause` are code of the service's party.
record Fault(
    Class<?> type, @Nullable String message, @Nullable Fault cause, List<Fault> suppressed) {
  /// The maximum number of exceptions in one fault, including causes and suppressed exceptions.
  /// Further exceptions are omitted.
  static final int MOST = 64;

  private static final int LONGEST_MESSAGE = 1 << 16;

  static Fault of(Throwable thrown) {
    return of(thrown, Collections.newSetFromMap(new IdentityHashMap<>()));
  }

  private static Fault of(Throwable thrown, Set<Throwable> met) {
    met.add(thrown);
    Throwable cause = cause(thrown);
    Fault below = cause != null && isNew(cause, met) ? of(cause, met) : null;
    List<Fault> suppressed = new ArrayList<>();
    for (Throwable each : thrown.getSuppressed()) {
      if (isNew(each, met)) {
        suppressed.add(of(each, met));
      }
    }
    return new Fault(thrown.getClass(), message(thrown), below, List.copyOf(suppressed));
  }

  /// Returns true unless the exception has been visited before, which breaks cycles, or the limit
  /// has been reached.
  private static boolean isNew(@Nullable Throwable thrown, Set<Throwable> met) {
    return thrown != null && met.size() < MOST && !met.contains(thrown);
  }

  private static @Nullable String message(Throwable thrown) {
    try {
      String message = thrown.getMessage();
      return message == null || message.length() <= LONGEST_MESSAGE
          ? message
          : message.substring(0, LONGEST_MESSAGE) + "...";
    } catch (Throwable e) { // it may throw anything: the caller still gets an outcome
      return "(its getMessage threw " + e.getClass().getName() + ")";
    }
  }

  private static @Nullable Throwable cause(Throwable thrown) {
    try {
      return thrown.getCause();
    } catch (Throwable e) { // it may throw anything, as getMessage may
      return null;
    }
  }

  /// Returns an exception of the caller's class with the same name, or a [RemoteFault] if there is
  /// none.
  Throwable forCaller(ClassLoader caller) {
    Throwable made = alone(caller);
    if (cause != null) {
      try {
        made.initCause(cause.forCaller(caller));
      } catch (RuntimeException e) {
        // The constructor has already set a cause, or does not permit one.
      }
    }
    suppressed.forEach(each -> made.addSuppressed(each.forCaller(caller)));
    return made;
  }

  private Throwable alone(ClassLoader caller) {
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

  /// Returns true if the exception has fields outside of the JDK's classes, which would be lost.
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
