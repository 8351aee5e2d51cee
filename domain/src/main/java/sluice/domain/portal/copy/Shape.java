package sluice.domain.portal.copy;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The mapping from a class of the sender to the receiver's class with the same name. It specifies
/// how to read and write each field, and how to create the copy. Immutable.
///
/// @param maker the canonical constructor of a record, with references as `Object`, or the
///   constructor without parameters of another class
/// @param fields the fields; for a record, in the order of the constructor
record Shape(Class<?> type, boolean isRecord, MethodHandle maker, List<Part> fields) {
  /// A field of the class.
  ///
  /// @param setter the setter, or null for a record
  record Part(Class<?> type, MethodHandle getter, @Nullable MethodHandle setter) {}

  /// Returns the mapping of a class.
  ///
  /// @throws CopyRefused if the two classes differ, or if they are not open to this module
  static Shape of(Class<?> type, Counterparts counterparts) {
    Class<?> target = counterparts.of(type);
    if (type.isRecord() != target.isRecord()) {
      throw unlike(type, "one is a record and the other is not");
    }
    try {
      return type.isRecord()
          ? ofRecord(type, target, counterparts)
          : ofClass(type, target, counterparts);
    } catch (IllegalAccessException e) {
      throw new CopyRefused(
          CopyRefused.Reason.NOT_PORTABLE,
          type.getTypeName(),
          "its package is not open to " + Shape.class.getModule() + ".",
          "add `opens " + type.getPackageName() + " to sluice.domain;` to its module-info.",
          e);
    } catch (NoSuchMethodException | NoSuchFieldException e) {
      throw unlike(type, "there is no " + e.getMessage());
    }
  }

  private static Shape ofRecord(Class<?> type, Class<?> target, Counterparts counterparts)
      throws IllegalAccessException, NoSuchMethodException, NoSuchFieldException {
    RecordComponent[] from = type.getRecordComponents();
    RecordComponent[] to = target.getRecordComponents();
    if (from.length != to.length) {
      throw unlike(type, "they have " + from.length + " and " + to.length + " components");
    }
    MethodHandles.Lookup lookup = inside(type);
    List<Part> parts = new ArrayList<>();
    List<Class<?>> exact = new ArrayList<>();
    List<Class<?>> erased = new ArrayList<>();
    for (int i = 0; i < from.length; i++) {
      Class<?> component = from[i].getType();
      if (!from[i].getName().equals(to[i].getName())) {
        throw unlike(
            type, "component " + i + " is " + from[i].getName() + " or " + to[i].getName());
      }
      requireAlike(type, from[i].getName(), component, to[i].getType(), counterparts);
      MethodHandle getter = lookup.findGetter(type, from[i].getName(), component);
      parts.add(new Part(component, erasedGetter(getter, component), null));
      exact.add(to[i].getType());
      erased.add(erased(component));
    }
    MethodHandle maker =
        inside(target).findConstructor(target, MethodType.methodType(void.class, exact));
    return new Shape(type, true, maker.asType(MethodType.methodType(Object.class, erased)), parts);
  }

  private static Shape ofClass(Class<?> type, Class<?> target, Counterparts counterparts)
      throws IllegalAccessException, NoSuchMethodException {
    List<Part> parts = new ArrayList<>();
    Class<?> to = target;
    for (Class<?> from = type; from != Object.class; from = from.getSuperclass()) {
      if (!from.getName().equals(to.getName())) {
        throw unlike(type, "the superclass is " + from.getName() + " or " + to.getName());
      }
      List<Field> sent = instanceFields(from);
      if (sent.size() != instanceFields(to).size()) {
        throw unlike(type, from.getName() + " does not have the same fields");
      }
      for (Field field : sent) {
        parts.add(part(field, to, counterparts));
      }
      to = to.getSuperclass();
      if (to == null) {
        throw unlike(type, "the superclasses differ");
      }
    }
    MethodHandle maker = inside(target).findConstructor(target, MethodType.methodType(void.class));
    return new Shape(type, false, maker.asType(MethodType.methodType(Object.class)), parts);
  }

  private static Part part(Field from, Class<?> declaring, Counterparts counterparts)
      throws IllegalAccessException {
    Class<?> type = from.getType();
    Field to;
    try {
      to = declaring.getDeclaredField(from.getName());
    } catch (NoSuchFieldException e) {
      throw unlike(declaring, "the receiver's has no field " + from.getName());
    }
    requireAlike(declaring, from.getName(), type, to.getType(), counterparts);
    MethodHandle getter = inside(from.getDeclaringClass()).unreflectGetter(from);
    MethodHandle setter =
        inside(declaring)
            .unreflectSetter(to)
            .asType(MethodType.methodType(void.class, Object.class, erased(type)));
    return new Part(type, erasedGetter(getter, type), setter);
  }

  /// Returns the fields to copy, which are all fields except static and transient ones.
  static List<Field> instanceFields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0) {
        fields.add(field);
      }
    }
    return fields;
  }

  /// Reads the value of a component directly, or returns null if that is not possible.
  static @Nullable Object component(Record value, RecordComponent component) {
    try {
      Class<?> type = value.getClass();
      return inside(type).findGetter(type, component.getName(), component.getType()).invoke(value);
    } catch (Throwable e) {
      return null;
    }
  }

  static Class<?> erased(Class<?> type) {
    return type.isPrimitive() ? type : Object.class;
  }

  private static MethodHandle erasedGetter(MethodHandle getter, Class<?> type) {
    return getter.asType(MethodType.methodType(erased(type), Object.class));
  }

  /// Returns a lookup with access to private members. The package of the type must be open to this
  /// module.
  private static MethodHandles.Lookup inside(Class<?> type) throws IllegalAccessException {
    Shape.class.getModule().addReads(type.getModule());
    return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
  }

  private static void requireAlike(
      Class<?> type, String field, Class<?> from, Class<?> to, Counterparts counterparts) {
    if (!from.getName().equals(to.getName()) || counterparts.of(from) != to) {
      throw unlike(type, field + " is " + from.getTypeName() + " or " + to.getTypeName());
    }
  }

  private static CopyRefused unlike(Class<?> type, String difference) {
    return new CopyRefused(
        CopyRefused.Reason.MISMATCH,
        type.getTypeName(),
        "the receiver's class of that name differs: " + difference + ".",
        "let both sides have the same version of it.");
  }
}
