package sluice.domain.inside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/// Where the code of a domain finds its domain: by the loader of the class that asks. Stateless, so
/// that any thread may call.
public final class Inside {
  /// The target of a call site whose gates are open: it does nothing, and is not called.
  public static final MethodHandle OPEN = mark("open");

  /// The target of a call site whose gates look whether they are to hold; it is not called either.
  public static final MethodHandle WATCHED = mark("watched");

  private Inside() {}

  /// A handle of type `()void` that is no other.
  private static MethodHandle mark(String state) {
    MethodHandle nothing = MethodHandles.empty(MethodType.methodType(void.class, String.class));
    return MethodHandles.insertArguments(nothing, 0, state);
  }

  /// The call site of all gates of the domain that a class belongs to.
  ///
  /// @throws IllegalStateException if the class belongs to none
  public static MutableCallSite gate(Class<?> type) {
    return loader(type).gate();
  }

  /// What a watched gate of the domain that a class belongs to runs.
  ///
  /// @throws IllegalStateException if the class belongs to none
  public static Runnable look(Class<?> type) {
    return loader(type).look();
  }

  /// The home of the domain that a class belongs to.
  ///
  /// @throws IllegalStateException if the class belongs to none
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
