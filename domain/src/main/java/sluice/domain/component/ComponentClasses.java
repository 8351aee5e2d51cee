package sluice.domain.component;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.verify.ClassFiles;

/// The classes of one component, as read from its jars. Immutable.
final class ComponentClasses {
  private final Component component;
  private final Map<String, ClassFacts> classes = new LinkedHashMap<>();

  private ComponentClasses(Component component) {
    this.component = component;
  }

  static ComponentClasses of(Component component) throws IOException, ComponentRefused {
    ComponentClasses read = new ComponentClasses(component);
    for (Path jar : component.jars()) {
      String[] damaged = new String[1];
      ClassFiles.read(
          jar,
          (name, code) -> {
            try {
              ClassFacts facts = ClassFacts.of(code);
              read.classes.putIfAbsent(facts.name(), facts);
            } catch (IllegalArgumentException e) {
              damaged[0] = name + ": " + e.getMessage();
            }
          });
      if (damaged[0] != null) {
        throw new ComponentRefused(
            "component " + component.name(),
            damaged[0] + " is no valid class file",
            "build the jar again");
      }
    }
    return read;
  }

  Component component() {
    return component;
  }

  @Nullable ClassFacts get(String internalName) {
    return classes.get(internalName);
  }

  Collection<ClassFacts> all() {
    return classes.values();
  }

  int count() {
    return classes.size();
  }
}
