package sluice.domain.inside;

import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/// Where the code of a domain finds its domain: by the loader of the class that asks. Stateless, so
/// that any thread may call.
public final class Inside {
  private Inside() {}

  /// Links the one `invokedynamic` of a domain's gate class.
  public static CallSite gate(MethodHandles.Lookup lookup, String name, MethodType type) {
    return new ConstantCallSite(loader(lookup.lookupClass()).gate().asType(type));
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
