package sluice.verify;

import java.lang.classfile.ClassFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A set of classes that are verified together. Its classes are not extended by any class outside
/// of the component, which is enforced by the class loader of a domain. However, the classes of a
/// [#part] of a program may be extended. This class is not thread-safe.
public final class Component {
  /// The maximum depth of superclasses that are considered.
  static final int MAX_DEPTH = 64;

  private final Map<String, ClassInfo> classes = new LinkedHashMap<>();
  private final List<String> unreadable = new ArrayList<>();
  private final Map<String, List<ClassInfo>> declaring = new HashMap<>();
  private final Set<String> extended = new HashSet<>();
  private final boolean isPart;
  private boolean isIndexed;
  private int longestConstant;

  /// Creates an empty component whose classes are not extended outside of it.
  public Component() {
    this(false);
  }

  private Component(boolean isPart) {
    this.isPart = isPart;
  }

  /// Returns an empty component that is a part of a program. Classes outside of the component may
  /// extend its classes unless these are final or sealed.
  public static Component part() {
    return new Component(true);
  }

  /// Adds a class. If there is already a class with the same name, the class is ignored, as on a
  /// class path.
  ///
  /// @param origin the source of the bytes, for messages
  /// @param bytes the class file
  public void add(String origin, byte[] bytes) {
    try {
      ClassInfo added =
          new ClassInfo(ClassFile.of(ClassFile.DeadLabelsOption.DROP_DEAD_LABELS).parse(bytes));
      if (isOfTheJdk(added.name())) {
        unreadable.add(origin + ": its name is in a package of the JDK, which has its own class");
        return;
      }
      classes.putIfAbsent(added.name(), added);
      extended.add(String.valueOf(added.superName()));
      extended.addAll(added.interfaces());
      longestConstant = Math.max(longestConstant, added.longestConstant());
      isIndexed = false;
    } catch (RuntimeException e) {
      unreadable.add(origin + ": " + e.getMessage());
    }
  }

  /// Returns true if the name belongs to a package of the JDK. The JVM always uses its own class
  /// with such a name, even if the component contains one.
  static boolean isOfTheJdk(String name) {
    return name.startsWith("java/")
        || name.startsWith("jdk/")
        || name.startsWith("sun/")
        || name.startsWith("com/sun/");
  }

  /// Returns a message for each class file that could not be read.
  public List<String> unreadable() {
    return List.copyOf(unreadable);
  }

  /// Returns the number of classes.
  public int size() {
    return classes.size();
  }

  /// Returns the length of the longest string constant of all static fields.
  int longestConstant() {
    return longestConstant;
  }

  boolean isPart() {
    return isPart;
  }

  /// Returns true if any class of the component extends or implements the given type.
  boolean extendsOutside(String name) {
    return extended.contains(name);
  }

  Collection<ClassInfo> classes() {
    return classes.values();
  }

  @Nullable ClassInfo find(String name) {
    return classes.get(name);
  }

  @Nullable ClassInfo superOf(ClassInfo type) {
    String name = type.superName();
    return name == null ? null : classes.get(name);
  }

  /// Returns true if `above` is `type` or one of its superclasses.
  boolean isBelow(ClassInfo type, ClassInfo above) {
    return type == above
        || (type.enter() >= 0 && type.enter() > above.enter() && type.enter() <= above.leave());
  }

  /// Numbers the classes in the order of the superclass tree. For each signature, the declaring
  /// classes are listed in the same order.
  void index() {
    if (isIndexed) {
      return;
    }
    isIndexed = true;
    Map<String, List<ClassInfo>> below = new HashMap<>();
    List<ClassInfo> roots = new ArrayList<>();
    for (ClassInfo type : classes.values()) {
      if (superOf(type) == null) {
        roots.add(type);
      } else {
        below.computeIfAbsent(type.superName(), _ -> new ArrayList<>()).add(type);
      }
    }
    List<ClassInfo> path = new ArrayList<>();
    List<ClassInfo> waiting = new ArrayList<>(roots.reversed());
    int number = 0;
    declaring.clear();
    while (!waiting.isEmpty()) {
      ClassInfo type = waiting.removeLast();
      while (!path.isEmpty() && superOf(type) != path.getLast()) {
        path.removeLast().leave(number);
      }
      type.enter(++number);
      path.add(type);
      declare(type);
      waiting.addAll(below.getOrDefault(type.name(), List.of()));
    }
    for (ClassInfo type : path) {
      type.leave(number);
    }
  }

  private void declare(ClassInfo type) {
    for (MethodInfo method : type.methods().values()) {
      if (!method.has(ClassInfo.STATIC) && !method.has(ClassInfo.PRIVATE)) {
        declaring.computeIfAbsent(method.signature(), _ -> new ArrayList<>()).add(type);
      }
    }
  }

  /// Returns the classes below `type` that declare the given signature, but at most `most` + 1 of
  /// them.
  List<ClassInfo> overriding(ClassInfo type, String signature, int most) {
    List<ClassInfo> all = declaring(signature);
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all.get(middle).enter() <= type.enter()) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    List<ClassInfo> found = new ArrayList<>();
    while (low < all.size() && found.size() <= most && all.get(low).enter() <= type.leave()) {
      found.add(all.get(low++));
    }
    return found;
  }

  /// Returns the classes that declare an overridable or overriding method with the given signature.
  List<ClassInfo> declaring(String signature) {
    return declaring.getOrDefault(signature, List.of());
  }
}
