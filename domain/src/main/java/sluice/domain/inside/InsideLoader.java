package sluice.domain.inside;

import java.lang.invoke.MutableCallSite;

/// The class loader of a domain, as translated code finds it. Any thread may call.
public abstract class InsideLoader extends ClassLoader {
  static {
    registerAsParallelCapable();
  }

  /// With the loader that is asked first.
  protected InsideLoader(String name, ClassLoader parent) {
    super(name, parent);
  }

  /// What every gate runs: a call site of type `()void`.
  protected abstract MutableCallSite gate();

  /// What a gate runs while the domain is watched.
  protected abstract Runnable look();

  /// What the domain has of its own.
  protected abstract Home home();
}
