package sluice.domain.component;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Counts the classes that are reachable from the classes of a component. Owned by one thread. The
/// classes read from the JDK are cached.
///
/// The interface closure continues into the JDK, as in the paper's count from `java.lang.Object`.
/// The closure of the code counts a class of the JDK without the classes that it uses, because
/// these would be most of the JDK.
final class Closures {
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

  private final Function<String, @Nullable ClassFacts> components;
  private final Map<String, Set<String>> jdk = new HashMap<>();

  /// @param components finds a class of a component by its name with slashes
  Closures(Function<String, @Nullable ClassFacts> components) {
    this.components = components;
  }

  ClosureSizes of(ComponentClasses classes) {
    int[] inInterface = count(classes.all(), true);
    int[] inAll = count(classes.all(), false);
    return new ClosureSizes(classes.count(), inInterface[0], inAll[0], inInterface[1], inAll[1]);
  }

  /// @return the number of classes of components, and the number of classes of the JDK
  private int[] count(Collection<ClassFacts> roots, boolean isInterface) {
    Set<String> seen = new HashSet<>();
    ArrayDeque<String> open = new ArrayDeque<>();
    for (ClassFacts root : roots) {
      if (seen.add(root.name())) {
        open.add(root.name());
      }
    }
    int[] counts = new int[2];
    while (!open.isEmpty()) {
      String name = open.remove();
      ClassFacts facts = components.apply(name);
      Set<String> next;
      if (facts != null) {
        counts[0]++;
        next = isInterface ? facts.inInterface() : facts.inAll();
      } else {
        next = jdk.computeIfAbsent(name, Closures::ofJdk);
        if (next.isEmpty()) {
          continue; // of neither a component nor the JDK
        }
        counts[1]++;
        next = isInterface ? next : Set.of();
      }
      for (String each : next) {
        if (seen.add(each)) {
          open.add(each);
        }
      }
    }
    return counts;
  }

  /// Returns the classes in the interface of a JDK class, including itself. The set is empty if the
  /// name is not that of a JDK class.
  private static Set<String> ofJdk(String name) {
    try (InputStream in = read(name + ".class")) {
      if (in == null) {
        return Set.of();
      }
      Set<String> names = new HashSet<>(ClassFacts.of(in.readAllBytes()).inInterface());
      names.add(name);
      return names;
    } catch (IOException | IllegalArgumentException e) {
      return Set.of();
    }
  }

  private static @Nullable InputStream read(String resource) throws IOException {
    InputStream in = Object.class.getModule().getResourceAsStream(resource);
    return in == null ? PLATFORM.getResourceAsStream(resource) : in;
  }
}
