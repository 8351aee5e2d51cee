package sluice.domain.inside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/// Allows code of a domain to find its domain through the loader of the calling class. Stateless;
/// any thread may call.
public final class Inside {
  /// The target of a call site whose gates do nothing. It is only used for comparison and never
  /// called.
  public static final MethodHandle OPEN = mark("open");

  /// The target of a call site whose gates check the throttle. It is also never called.
  public static final MethodHandle WATCHED = mark("watched");

  private Inside() {}

  /// Returns a new handle of type `()void`, distinct from all others.
  private static MethodHandle mark(String state) {
    MethodHandle nothing = MethodHandles.empty(MethodType.methodType(void.class, String.class));
    return MethodHandles.insertArguments(nothing, 0, state);
  }

  /// Returns the call site of all gates of a class's domain.
  ///
  /// @throws IllegalStateException if the class belongs to no domain
  public static MutableCallSite gate(Class<?> type) {
    return loader(type).gate();
  }

  /// Returns the task that is run by active gates of a class's domain.
  ///
  /// @throws IllegalStateException if the class belongs to no domain
  public static Runnable look(Class<?> type) {
    return loader(type).look();
  }

  /// Returns the home of a class's domain.
  ///
  /// @throws IllegalStateException if the class belongs to no domain
  public static Home home(Class<?> type) {
    return loader(type).home();
  }

  private static InsideLoader loader(Class<?> type) {
    if (type.getClassLoader() instanceof InsideLoader loader) {
      return loader;
    }
    throw new IllegalStateException(type + " belongs to no domain");
  }
}
