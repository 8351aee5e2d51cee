package sluice.testkit;

import java.io.IOException;
import java.lang.module.ModuleReader;
import java.lang.module.ResolvedModule;
import java.util.List;
import java.util.Objects;

/// Loads classes before a test takes away what their loading needs: the files they are in cannot be
/// opened without descriptors, and where a class could not be loaded once, it is missing for all
/// later tests as well. Called by the test's thread.
public final class LoadedClasses {
  private static final String SUFFIX = ".class";

  private LoadedClasses() {}

  /// Loads all classes of a named module and of those of ours that it reads.
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
      // one for an agent or another system: no test of here uses it
    }
  }
}
