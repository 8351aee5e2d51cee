package sluice.domain.translate;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.verify.check.JdkTypes;

/// The supertypes of a component's classes, up to the JDK. Confined to one thread.
///
/// A call refers to the class that was known to the compiler. For example, `MyList.parallelStream`
/// is the method of `Collection` unless a class of the component in between overrides it.
final class Ancestry {
  private static final int MOST = 256;
  private static final ClassFile FILES = ClassFile.of();
  private static final String THREAD = "java/lang/Thread";

  private final ClassSource source;
  private final Map<String, List<String>> ofJdk = new HashMap<>();

  Ancestry(ClassSource source) {
    this.source = source;
  }

  /// Returns true if the type is `Thread` or a subclass.
  boolean isThread(String internalName) {
    return ofJdk(internalName).contains(THREAD);
  }

  /// Returns true if the descriptor of a JDK member contains the domain's pattern class.
  boolean takesPattern(String owner, String descriptor) {
    return descriptor.contains(Relocation.REGEX)
        && !owner.startsWith(Relocation.OWN)
        && JdkTypes.has(owner)
        && source.read(owner) == null;
  }

  /// Returns the JDK types among a type and its supertypes, starting with the nearest.
  List<String> ofJdk(String internalName) {
    return ofJdk.computeIfAbsent(
        internalName, name -> above(name).stream().filter(JdkTypes::has).toList());
  }

  /// Returns true if a class of the component, among a type and its supertypes, declares a method
  /// with the given name and descriptor.
  boolean declares(String internalName, String name, String descriptor) {
    for (String at : above(internalName)) {
      ClassModel model = model(at);
      if (model != null
          && model.methods().stream()
              .anyMatch(method ->
                  method.methodName().equalsString(name)
                      && method.methodType().equalsString(descriptor))) {
        return true;
      }
    }
    return false;
  }

  private Set<String> above(String internalName) {
    Set<String> seen = new LinkedHashSet<>();
    ArrayDeque<String> ready = new ArrayDeque<>(List.of(internalName));
    while (!ready.isEmpty() && seen.size() < MOST) {
      String at = ready.remove();
      if (seen.add(at)) {
        ready.addAll(directlyAbove(at));
      }
    }
    return seen;
  }

  private List<String> directlyAbove(String internalName) {
    List<String> known = JdkTypes.above(internalName);
    if (known != null) {
      return known;
    }
    List<String> above = new ArrayList<>();
    ClassModel model = model(internalName);
    if (model != null) {
      model.superclass().map(ClassEntry::asInternalName).ifPresent(above::add);
      model.interfaces().forEach(each -> above.add(each.asInternalName()));
    }
    return above;
  }

  private @Nullable ClassModel model(String internalName) {
    byte[] bytes = JdkTypes.has(internalName) ? null : source.read(internalName);
    return bytes == null ? null : FILES.parse(bytes);
  }
}
