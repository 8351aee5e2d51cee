package sluice.verify.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Determines the direct supertypes of the types of the running JDK. This class is thread-safe.
///
/// A call refers to the static type in the source code, which often inherits the method. For
/// example, `List.parallelStream` is declared in `Collection`. The results are cached only for
/// types of the JDK, so that jars cannot flood the cache.
public final class JdkTypes {
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();
  private static final Set<String> PACKAGES =
      ModuleLayer.boot().modules().stream()
          .filter(module -> module.getClassLoader() == null || module.getClassLoader() == PLATFORM)
          .flatMap(module -> module.getPackages().stream())
          .map(name -> name.replace('.', '/'))
          .collect(Collectors.toUnmodifiableSet());
  private static final ConcurrentHashMap<String, List<String>> ABOVE = new ConcurrentHashMap<>();

  private JdkTypes() {}

  /// Returns true if the JDK contains a class or interface with the given name.
  ///
  /// @param internalName the name with slashes
  public static boolean has(String internalName) {
    return above(internalName) != null;
  }

  /// Returns the superclass and the interfaces of a JDK type, or null if the JDK does not contain
  /// this type.
  ///
  /// @param internalName the name with slashes
  public static @Nullable List<String> above(String internalName) {
    int slash = internalName.lastIndexOf('/');
    if (slash < 0 || !PACKAGES.contains(internalName.substring(0, slash))) {
      return null;
    }
    List<String> known = ABOVE.get(internalName);
    if (known == null) {
      known = read(internalName);
      if (known != null) {
        ABOVE.put(internalName, known);
      }
    }
    return known;
  }

  private static @Nullable List<String> read(String internalName) {
    Class<?> type;
    try {
      type = Class.forName(internalName.replace('/', '.'), false, PLATFORM);
      if (type.getClassLoader() != null && type.getClassLoader() != PLATFORM) {
        return null;
      }
    } catch (ClassNotFoundException | LinkageError e) {
      return null; // the class may be in a jar
    }
    List<String> above = new ArrayList<>();
    if (type.getSuperclass() != null) {
      above.add(type.getSuperclass().getName().replace('.', '/'));
    }
    for (Class<?> each : type.getInterfaces()) {
      above.add(each.getName().replace('.', '/'));
    }
    return List.copyOf(above);
  }
}
