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

/// The classes that are verified together: no class outside extends one of them, which is what a
/// domain's loader holds; of a [#part] of a program, others may. Of one thread.
public final class Component {
  /// The longest chain of superclasses that is followed.
  static final int MAX_DEPTH = 64;

  private final Map<String, ClassInfo> classes = new LinkedHashMap<>();
  private final List<String> unreadable = new ArrayList<>();
  private final Map<String, List<ClassInfo>> declaring = new HashMap<>();
  private final Set<String> extended = new HashSet<>();
  private final boolean isPart;
  private boolean isIndexed;
  private int longestConstant;

  /// No class yet, and none outside that extends one of those to come.
  public Component() {
    this(false);
  }

  private Component(boolean isPart) {
    this.isPart = isPart;
  }

  /// Returns a component without classes yet, whose classes others may extend unless they are final
  /// or sealed: a part of a program.
  public static Component part() {
    return new Component(true);
  }

  /// Adds a class. Of two with one name the first counts, as on a class path.
  ///
  /// @param origin where the bytes come from, for messages
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

  /// The JVM runs its own class of such a name, whatever a component brings.
  static boolean isOfTheJdk(String name) {
    return name.startsWith("java/")
        || name.startsWith("jdk/")
        || name.startsWith("sun/")
        || name.startsWith("com/sun/");
  }

  /// What could not be read as a class, one message each.
  public List<String> unreadable() {
    return List.copyOf(unreadable);
  }

  /// How many classes there are.
  public int size() {
    return classes.size();
  }

  /// The longest string that a static field has without an instruction that stores it.
  int longestConstant() {
    return longestConstant;
  }

  boolean isPart() {
    return isPart;
  }

  /// Returns true if a class of the component extends or implements this type, and names it.
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

  /// Whether `above` is `type` or a superclass of it.
  boolean isBelow(ClassInfo type, ClassInfo above) {
    return type == above
        || (type.enter() >= 0 && type.enter() > above.enter() && type.enter() <= above.leave());
  }

  /// Numbers the classes by their superclasses, and lists for each signature the classes that
  /// declare it, in that order.
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

  /// Up to `most` + 1 classes below `type` that declare the signature.
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

  /// The classes that declare a method which may override another.
  List<ClassInfo> declaring(String signature) {
    return declaring.getOrDefault(signature, List.of());
  }
}
