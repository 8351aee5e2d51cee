package sluice.domain.component;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.PermittedSubclassesAttribute;
import java.lang.classfile.attribute.RecordAttribute;
import java.lang.classfile.attribute.RecordComponentInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks if new classes of a component can replace the old ones. The check is for binary
/// compatibility according to the Java Language Specification (25), chapter 13, class by class.
/// Owned by one thread.
///
/// The check covers everything to which other components can refer, which is public classes and
/// their public and protected members. A member that was moved to an ancestor inside the components
/// is still considered present (13.4.5, 13.4.12). The check is stricter than the chapter in one
/// respect: the components of a record must not change, because a portal uses them to copy a
/// record.
final class Compatibility {
  private static final int OUTSIDE = ClassFile.ACC_PUBLIC | ClassFile.ACC_PROTECTED;
  private static final int KIND =
      ClassFile.ACC_INTERFACE | ClassFile.ACC_ANNOTATION | ClassFile.ACC_ENUM;

  private final ComponentGraph before;
  private final ComponentGraph after;
  private final List<Incompatibility> found = new ArrayList<>();

  private Compatibility(ComponentGraph before, ComponentGraph after) {
    this.before = before;
    this.after = after;
  }

  /// Returns the incompatibilities of a component's new classes. The list is empty if there are
  /// none.
  static List<Incompatibility> of(ComponentGraph before, ComponentGraph after, String component) {
    Compatibility check = new Compatibility(before, after);
    ComponentClasses next = after.classes(component);
    for (ClassFacts facts : before.classes(component).all()) {
      if ((facts.model().flags().flagsMask() & ClassFile.ACC_PUBLIC) != 0) {
        check.type(facts, next.get(facts.name()));
      }
    }
    return check.found;
  }

  private void type(ClassFacts old, @Nullable ClassFacts fresh) {
    if (fresh == null) {
      report(old, "it is gone", "JLS 13.3");
      return;
    }
    int was = old.model().flags().flagsMask();
    int is = fresh.model().flags().flagsMask();
    if ((is & ClassFile.ACC_PUBLIC) == 0) {
      report(old, "it is no longer public", "JLS 13.4.3");
    }
    if ((was & KIND) != (is & KIND) || record(old).isPresent() != record(fresh).isPresent()) {
      report(old, "it was " + kind(old) + " and is " + kind(fresh), "JLS 13.4, 13.5");
      return;
    }
    // An enum can be neither extended nor instantiated by other classes, regardless of the bodies
    // of its constants.
    boolean isClass = (was & (ClassFile.ACC_INTERFACE | ClassFile.ACC_ENUM)) == 0;
    if (isClass && added(was, is, ClassFile.ACC_ABSTRACT)) {
      report(old, "it is abstract now", "JLS 13.4.1");
    }
    if (isClass && added(was, is, ClassFile.ACC_FINAL)) {
      report(old, "it is final now", "JLS 13.4.2");
    }
    if ((was & ClassFile.ACC_ENUM) == 0) {
      sealed(old, fresh);
    }
    Set<String> lost = ancestors(old, before);
    lost.removeAll(ancestors(fresh, after));
    for (String each : lost) {
      report(old, "it no longer has the ancestor " + ComponentGraph.dotted(each), "JLS 13.4.4");
    }
    components(old, fresh);
    for (FieldModel field : old.model().fields()) {
      if (isOutside(field.flags().flagsMask())) {
        field(old, field, fresh);
      }
    }
    for (MethodModel method : old.model().methods()) {
      if (isOutside(method.flags().flagsMask())) {
        method(old, method, fresh);
      }
    }
    if (isClass && (is & ClassFile.ACC_FINAL) == 0) {
      newAbstractMethods(old, fresh);
    }
  }

  private void sealed(ClassFacts old, ClassFacts fresh) {
    Optional<PermittedSubclassesAttribute> was =
        old.model().findAttribute(Attributes.permittedSubclasses());
    Optional<PermittedSubclassesAttribute> is =
        fresh.model().findAttribute(Attributes.permittedSubclasses());
    if (is.isEmpty()) {
      return;
    }
    if (was.isEmpty()) {
      report(old, "it is sealed now", "JLS 13.4.2");
      return;
    }
    Set<String> lost = names(was.get());
    lost.removeAll(names(is.get()));
    lost.forEach(each -> report(old, "it no longer permits " + each, "JLS 13.4.2"));
  }

  private static Set<String> names(PermittedSubclassesAttribute permitted) {
    return permitted.permittedSubclasses().stream()
        .map(entry -> ComponentGraph.dotted(entry.asInternalName()))
        .collect(Collectors.toSet());
  }

  private void components(ClassFacts old, ClassFacts fresh) {
    if (record(old).isEmpty() || record(fresh).isEmpty()) {
      return;
    }
    List<String> was = components(record(old).get());
    List<String> is = components(record(fresh).get());
    if (!was.equals(is)) {
      report(old, "its components were " + was + " and are " + is, "JLS 13.4.27, portals");
    }
  }

  private static List<String> components(RecordAttribute record) {
    List<String> names = new ArrayList<>();
    for (RecordComponentInfo each : record.components()) {
      names.add(each.name().stringValue() + ":" + each.descriptor().stringValue());
    }
    return names;
  }

  private void field(ClassFacts old, FieldModel field, ClassFacts fresh) {
    String name = field.fieldName().stringValue();
    String type = field.fieldType().stringValue();
    FieldModel is = null;
    for (ClassFacts at : line(fresh, after)) {
      for (FieldModel each : at.model().fields()) {
        if (is == null
            && each.fieldName().equalsString(name)
            && each.fieldType().equalsString(type)
            && isOutside(each.flags().flagsMask())) {
          is = each;
        }
      }
    }
    String shown = "field " + name;
    if (is == null) {
      report(old, shown + " of type " + type + " is gone or not accessible", "JLS 13.4.7, 13.4.8");
      return;
    }
    int before = field.flags().flagsMask();
    int now = is.flags().flagsMask();
    if (isLess(before, now)) {
      report(old, shown + " is less accessible", "JLS 13.4.7");
    }
    if (added(before, now, ClassFile.ACC_FINAL)) {
      report(old, shown + " is final now", "JLS 13.4.9");
    }
    if (((before ^ now) & ClassFile.ACC_STATIC) != 0) {
      report(old, shown + " is static now, or no longer", "JLS 13.4.10");
    }
  }

  private void method(ClassFacts old, MethodModel method, ClassFacts fresh) {
    boolean isInitializer = method.methodName().stringValue().startsWith("<");
    MethodModel is = find(method, isInitializer ? List.of(fresh) : line(fresh, after));
    String shown = shown(method);
    if (is == null) {
      if (!isInitializer && isOfJdk(method, fresh)) {
        return;
      }
      report(
          old,
          shown + " is gone or not accessible",
          isInitializer ? "JLS 13.4.7, 13.4.12" : "JLS 13.4.12, 13.4.14, 13.4.15");
      return;
    }
    int before = method.flags().flagsMask();
    int now = is.flags().flagsMask();
    boolean isInterface = (old.model().flags().flagsMask() & ClassFile.ACC_INTERFACE) != 0;
    if (isLess(before, now)) {
      report(old, shown + " is less accessible", "JLS 13.4.7");
    }
    if (added(before, now, ClassFile.ACC_ABSTRACT)) {
      report(old, shown + " is abstract now", isInterface ? "JLS 13.5.6" : "JLS 13.4.16");
    }
    if (added(before, now, ClassFile.ACC_FINAL) && (before & ClassFile.ACC_STATIC) == 0) {
      report(old, shown + " is final now", "JLS 13.4.17");
    }
    if (((before ^ now) & ClassFile.ACC_STATIC) != 0) {
      report(old, shown + " is static now, or no longer", "JLS 13.4.19");
    }
  }

  private void newAbstractMethods(ClassFacts old, ClassFacts fresh) {
    for (MethodModel method : fresh.model().methods()) {
      int flags = method.flags().flagsMask();
      if ((flags & ClassFile.ACC_ABSTRACT) != 0 && find(method, line(old, before)) == null) {
        report(old, shown(method) + " is new and abstract", "JLS 13.4.16");
      }
    }
  }

  private static @Nullable MethodModel find(MethodModel method, List<ClassFacts> line) {
    for (ClassFacts at : line) {
      for (MethodModel each : at.model().methods()) {
        if (each.methodName().equalsString(method.methodName().stringValue())
            && each.methodType().equalsString(method.methodType().stringValue())
            && isOutside(each.flags().flagsMask())) {
          return each;
        }
      }
    }
    return null;
  }

  /// Returns true if an ancestor in the JDK declares the method, so that a call still resolves to
  /// it.
  private boolean isOfJdk(MethodModel method, ClassFacts fresh) {
    for (String name : ancestors(fresh, after)) {
      if (after.classNamed(name) != null) {
        continue;
      }
      try {
        Class<?> type =
            Class.forName(ComponentGraph.dotted(name), false, ClassLoader.getPlatformClassLoader());
        for (java.lang.reflect.Method each : type.getDeclaredMethods()) {
          String descriptor =
              java.lang.invoke.MethodType.methodType(each.getReturnType(), each.getParameterTypes())
                  .toMethodDescriptorString();
          if (each.getName().equals(method.methodName().stringValue())
              && descriptor.equals(method.methodType().stringValue())
              && isOutside(each.getModifiers())) {
            return true;
          }
        }
      } catch (ClassNotFoundException | LinkageError e) {
        // A class outside of the components and the JDK has no methods here.
      }
    }
    return false;
  }

  /// Returns a class followed by its ancestors inside the components.
  private static List<ClassFacts> line(ClassFacts facts, ComponentGraph graph) {
    List<ClassFacts> line = new ArrayList<>();
    line.add(facts);
    for (String each : ancestors(facts, graph)) {
      ClassFacts at = graph.classNamed(each);
      if (at != null) {
        line.add(at);
      }
    }
    return line;
  }

  /// Returns all superclasses and superinterfaces, as far as they are named by classes of
  /// components.
  private static Set<String> ancestors(ClassFacts facts, ComponentGraph graph) {
    Set<String> all = new HashSet<>();
    List<ClassModel> open = new ArrayList<>(List.of(facts.model()));
    while (!open.isEmpty()) {
      ClassModel model = open.removeLast();
      List<ClassEntry> direct = new ArrayList<>(model.interfaces());
      model.superclass().ifPresent(direct::add);
      for (ClassEntry entry : direct) {
        ClassFacts at = graph.classNamed(entry.asInternalName());
        if (all.add(entry.asInternalName()) && at != null) {
          open.add(at.model());
        }
      }
    }
    return all;
  }

  private static Optional<RecordAttribute> record(ClassFacts facts) {
    return facts.model().findAttribute(Attributes.record());
  }

  private static String kind(ClassFacts facts) {
    int flags = facts.model().flags().flagsMask();
    if ((flags & ClassFile.ACC_ANNOTATION) != 0) {
      return "an annotation";
    }
    if ((flags & ClassFile.ACC_INTERFACE) != 0) {
      return "an interface";
    }
    if ((flags & ClassFile.ACC_ENUM) != 0) {
      return "an enum";
    }
    return record(facts).isPresent() ? "a record" : "a class";
  }

  private static String shown(MethodModel method) {
    String name = method.methodName().stringValue();
    String shown = name.equals("<init>") ? "constructor " : "method " + name;
    return shown + method.methodType().stringValue();
  }

  private static boolean isOutside(int flags) {
    return (flags & OUTSIDE) != 0 && (flags & ClassFile.ACC_SYNTHETIC) == 0;
  }

  private static boolean isLess(int before, int now) {
    return (before & ClassFile.ACC_PUBLIC) != 0 && (now & ClassFile.ACC_PUBLIC) == 0;
  }

  private static boolean added(int before, int now, int flag) {
    return (before & flag) == 0 && (now & flag) != 0;
  }

  private void report(ClassFacts type, String change, String section) {
    found.add(new Incompatibility(ComponentGraph.dotted(type.name()), change, section));
  }
}
