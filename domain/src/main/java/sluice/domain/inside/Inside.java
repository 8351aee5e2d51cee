package sluice.domain.inside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;

/// Where the code of a domain finds its domain: by the loader of the class that asks. Stateless, so
/// that any thread may call.
public final class Inside {
  /// The target of a call site whose gates are open: it does nothing, and is not called.
  public static final MethodHandle OPEN =
      MethodHandles.empty(MethodType.methodType(void.class));

  private Inside() {}

  /// The call site of all gates of the domain that a class belongs to.
  ///
  /// @throws IllegalStateException if the class belongs to none
  public static MutableCallSite gate(Class<?> type) {
    return loader(type).gate();
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
