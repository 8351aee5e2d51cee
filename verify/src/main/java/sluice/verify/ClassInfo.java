package sluice.verify;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A class of a component. Its position in the tree of superclasses is represented by two numbers.
/// A class is a subclass of another class if its `enter` is between `enter` and `leave` of the
/// other class. Instances are confined to the verifier's thread.
final class ClassInfo {
  static final int STATIC = 0x0008;
  static final int PRIVATE = 0x0002;
  static final int FINAL = 0x0010;
  static final int SYNCHRONIZED = 0x0020;
  static final int NATIVE = 0x0100;
  static final int INTERFACE = 0x0200;
  static final int ABSTRACT = 0x0400;

  /// The first class file version that supports sealed classes. The JVM ignores the attribute in
  /// class files with an older version.
  private static final int SEALED_SINCE = 61;

  private final String name;
  private final @Nullable String superName;
  private final List<String> interfaces;
  private final int flags;
  private final int instanceFields;
  private final @Nullable List<String> permitted;
  private final int longestConstant;
  private final Map<String, MethodInfo> methods = new LinkedHashMap<>();
  private final Set<String> fields = new HashSet<>();
  private final List<String> supertypes;
  private int enter = -1;
  private int leave = -1;

  /// Reads a class.
  ///
  /// @throws RuntimeException of the ClassFile API if the class file is corrupt
  ClassInfo(ClassModel model) {
    name = model.thisClass().asInternalName();
    superName = model.superclass().map(ClassEntry::asInternalName).orElse(null);
    interfaces = model.interfaces().stream().map(ClassEntry::asInternalName).toList();
    flags = model.flags().flagsMask();
    instanceFields =
        (int) model.fields().stream().filter(f -> (f.flags().flagsMask() & STATIC) == 0).count();
    permitted =
        model.majorVersion() < SEALED_SINCE
            ? null
            : model
                .findAttribute(Attributes.permittedSubclasses())
                .map(a -> a.permittedSubclasses().stream().map(ClassEntry::asInternalName).toList())
                .orElse(null);
    longestConstant =
        model.fields().stream()
            .flatMap(field -> field.findAttribute(Attributes.constantValue()).stream())
            .mapToInt(value ->
                value.constant() instanceof StringEntry text ? text.stringValue().length() : 0)
            .max()
            .orElse(0);
    for (MethodModel method : model.methods()) {
      MethodInfo info = new MethodInfo(this, method);
      methods.putIfAbsent(info.signature(), info);
    }
    for (FieldModel field : model.fields()) {
      fields.add(field.fieldName().stringValue() + ' ' + field.fieldType().stringValue());
    }
    List<String> above = new ArrayList<>(interfaces);
    if (superName != null) {
      above.addFirst(superName);
    }
    supertypes = List.copyOf(above);
  }

  String name() {
    return name;
  }

  String shown() {
    return name.replace('/', '.');
  }

  @Nullable String superName() {
    return superName;
  }

  List<String> interfaces() {
    return interfaces;
  }

  /// Returns the superclass and the interfaces of this class.
  List<String> supertypes() {
    return supertypes;
  }

  /// Returns true if this class declares the given field.
  ///
  /// @param key the name and the descriptor, separated by a blank
  boolean declaresField(String key) {
    return fields.contains(key);
  }

  /// Returns true if this is an interface that is initialized together with the classes that
  /// implement it.
  boolean hasDefaults() {
    return methods.values().stream().anyMatch(m -> !m.has(STATIC) && !m.has(ABSTRACT));
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  int longestConstant() {
    return longestConstant;
  }

  int instanceFields() {
    return instanceFields;
  }

  /// Returns the permitted subclasses if this class is sealed, or null otherwise.
  @Nullable List<String> permitted() {
    return permitted;
  }

  Map<String, MethodInfo> methods() {
    return methods;
  }

  @Nullable MethodInfo method(String signature) {
    return methods.get(signature);
  }

  void enter(int number) {
    enter = number;
  }

  void leave(int number) {
    leave = number;
  }

  int enter() {
    return enter;
  }

  int leave() {
    return leave;
  }
}
