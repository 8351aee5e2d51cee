package sluice.domain.component;

import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Finds locations at which the behavior of a component depends on its arguments being references,
/// as with callers in the same domain, or copies, as with callers in other domains. Owned by one
/// thread.
///
/// The check covers the methods of the components' interfaces in the implementing classes. It does
/// not follow calls to other methods.
///
/// After Golm et al., "The JX Operating System", USENIX 2002, section 2.4: code that is supposed to
/// work in both settings "must not rely on either of these semantics".
final class Lint {
  private final ComponentGraph graph;

  Lint(ComponentGraph graph) {
    this.graph = graph;
  }

  List<Reliance> of(ComponentClasses component) {
    List<Reliance> found = new ArrayList<>();
    for (ClassFacts facts : component.all()) {
      int flags = facts.model().flags().flagsMask();
      if ((flags & ClassFile.ACC_INTERFACE) != 0) {
        continue;
      }
      Set<String> offered = offered(facts);
      for (MethodModel method : facts.model().methods()) {
        if (offered.contains(key(method)) && method.code().isPresent()) {
          Predicate<ClassDesc> copied = this::isCopied;
          found.addAll(new Origins(facts.name(), method, copied).follow());
        }
      }
    }
    return found;
  }

  /// Returns the methods that callers can invoke through interfaces of components.
  private Set<String> offered(ClassFacts facts) {
    Set<String> methods = new HashSet<>();
    List<ClassFacts> open = new ArrayList<>(List.of(facts));
    Set<String> seen = new HashSet<>();
    while (!open.isEmpty()) {
      ClassFacts at = open.removeLast();
      List<ClassEntry> above = new ArrayList<>(at.model().interfaces());
      at.model().superclass().ifPresent(above::add);
      for (ClassEntry entry : above) {
        ClassFacts next = graph.classNamed(entry.asInternalName());
        if (next != null && seen.add(next.name())) {
          open.add(next);
          if ((next.model().flags().flagsMask() & ClassFile.ACC_INTERFACE) != 0) {
            next.model().methods().forEach(method -> methods.add(key(method)));
          }
        }
      }
    }
    return methods;
  }

  private static String key(MethodModel method) {
    return method.methodName().stringValue() + method.methodType().stringValue();
  }

  /// Returns true if a portal copies objects of the given declared type, and a copy can diverge
  /// from the original.
  private boolean isCopied(ClassDesc type) {
    if (type.isPrimitive()) {
      return false;
    }
    if (type.isArray()) {
      return true;
    }
    String descriptor = type.descriptorString();
    String name = descriptor.substring(1, descriptor.length() - 1);
    ClassFacts facts = graph.classNamed(name);
    if (facts == null) {
      return name.startsWith("java/util/")
          && !name.startsWith("java/util/Optional")
          && !name.equals("java/util/UUID");
    }
    String above = facts.model().superclass().map(ClassEntry::asInternalName).orElse("");
    return (facts.model().flags().flagsMask() & ClassFile.ACC_INTERFACE) == 0
        && !above.equals("java/lang/Record")
        && !above.equals("java/lang/Enum");
  }
}
