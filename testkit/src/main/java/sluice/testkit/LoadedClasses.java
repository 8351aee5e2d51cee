package sluice.testkit;

import java.io.IOException;
import java.lang.module.ModuleReader;
import java.lang.module.ResolvedModule;
import java.util.List;
import java.util.Objects;

/// Loads classes before a test takes resources away that class loading needs. Class files cannot be
/// opened without descriptors, and a class that failed to load once stays missing for all later
/// tests. Called by the test's thread.
public final class LoadedClasses {
  private static final String SUFFIX = ".class";

  private LoadedClasses() {}

  /// Loads all classes of a named module and of the Sluice modules that it reads.
  ///
  /// @param any a class of the module
  public static void withAllOf(Class<?> any) throws IOException {
    ModuleLayer layer = Objects.requireNonNull(any.getModule().getLayer());
    ResolvedModule own = layer.configuration().findModule(any.getModule().getName()).orElseThrow();
    load(own, layer);
    for (ResolvedModule each : own.reads()) {
      if (each.name().startsWith("sluice.")) {
        load(each, layer);
      }
    }
  }

  private static void load(ResolvedModule found, ModuleLayer layer) throws IOException {
    Module module = layer.findModule(found.name()).orElseThrow();
    List<String> names;
    try (ModuleReader reader = found.reference().open()) {
      names = reader.list().filter(each -> each.endsWith(SUFFIX)).toList();
    }
    for (String each : names) {
      if (!each.startsWith("META-INF") && !each.endsWith("module-info" + SUFFIX)) {
        load(module, each.substring(0, each.length() - SUFFIX.length()).replace('/', '.'));
      }
    }
  }

  private static void load(Module module, String name) {
    try {
      Class.forName(name, false, module.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      // A class for an agent or another system; no test in this JVM uses it.
    }
  }
}
