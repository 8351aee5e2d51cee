package sluice.domain.component;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MethodTypeEntry;
import java.lang.classfile.constantpool.NameAndTypeEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.LinkedHashSet;
import java.util.Set;

/// The references of a class file to other classes. Names contain slashes. Immutable.
///
/// @param inInterface the classes in its interface, which are its ancestors and the types in the
///   signatures of methods and fields that are not private
/// @param inAll the classes in its interface and the classes used by its code
record ClassFacts(String name, ClassModel model, Set<String> inInterface, Set<String> inAll) {

  /// Reads a class file.
  ///
  /// @throws IllegalArgumentException if the bytes are not a class file
  static ClassFacts of(byte[] code) {
    ClassModel model = ClassFile.of().parse(code);
    Set<String> outer = new LinkedHashSet<>();
    model.superclass().ifPresent(entry -> outer.add(entry.asInternalName()));
    model.interfaces().forEach(entry -> outer.add(entry.asInternalName()));
    Set<String> all = new LinkedHashSet<>();
    for (FieldModel field : model.fields()) {
      boolean isPrivate = (field.flags().flagsMask() & ClassFile.ACC_PRIVATE) != 0;
      named(field.fieldType().stringValue(), isPrivate ? all : outer);
    }
    for (MethodModel method : model.methods()) {
      boolean isPrivate = (method.flags().flagsMask() & ClassFile.ACC_PRIVATE) != 0;
      named(method.methodType().stringValue(), isPrivate ? all : outer);
    }
    all.addAll(outer);
    for (PoolEntry entry : model.constantPool()) {
      switch (entry) {
        case ClassEntry type -> {
          String name = type.asInternalName();
          if (name.startsWith("[")) {
            named(name, all);
          } else {
            all.add(name);
          }
        }
        case NameAndTypeEntry member -> named(member.type().stringValue(), all);
        case MethodTypeEntry type -> named(type.descriptor().stringValue(), all);
        default -> {
          // Other entries do not refer to classes.
        }
      }
    }
    return new ClassFacts(
        model.thisClass().asInternalName(), model, Set.copyOf(outer), Set.copyOf(all));
  }

  /// Adds the classes contained in a descriptor.
  private static void named(String descriptor, Set<String> to) {
    for (int at = descriptor.indexOf('L'); at >= 0; at = descriptor.indexOf('L', at)) {
      int end = descriptor.indexOf(';', at);
      if (end < 0) {
        return;
      }
      to.add(descriptor.substring(at + 1, end));
      at = end;
    }
  }
}
