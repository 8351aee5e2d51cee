package sluice.verify.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The direct supertypes of the types of the running JDK. Thread-safe.
///
/// A call names the class that the compiler saw, which often inherits the method:
/// `List.parallelStream` is declared in `Collection`. Results are cached for JDK types only, so
/// that jars cannot fill the cache.
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

  /// Returns true if the JDK has a class or interface of this name.
  ///
  /// @param internalName the name with slashes
  public static boolean has(String internalName) {
    return above(internalName) != null;
  }

  /// Returns the superclass and the interfaces of a JDK type, or null if the JDK has no such type.
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
