package sluice.domain.inside;

import java.lang.invoke.MutableCallSite;

/// The class loader of a domain, as seen by translated code. Any thread may call.
public abstract class InsideLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  /// Creates a loader that delegates to its parent first.
  protected InsideLoader(String name, ClassLoader parent) {
    super(name, parent);
  }

  /// Returns the call site that every gate invokes, of type `()void`.
  protected abstract MutableCallSite gate();

  /// Returns the task that a gate runs while the domain is watched.
  protected abstract Runnable look();

  /// Returns the domain-specific objects.
  protected abstract Home home();
}
