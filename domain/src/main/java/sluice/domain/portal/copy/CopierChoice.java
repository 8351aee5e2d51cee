package sluice.domain.portal.copy;

import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;

/// Selects the copier for a class. Any thread may call.
final class CopierChoice {
  private CopierChoice() {}

  static Copier make(Class<?> type, Copiers copiers) {
    Counterparts counterparts = copiers.counterparts();
    Copier known = JdkCopiers.of(type);
    if (known != null) {
      return known;
    }
    if (type.isArray()) {
      return array(type, counterparts);
    }
    if (PassedByReference.class.isAssignableFrom(type)) {
      return orReference(type, "the sender does not hold it.", "pass a portal of one's own.");
    }
    if (Enum.class.isAssignableFrom(type)) {
      return constant(type, counterparts);
    }
    if (Memory.class.isAssignableFrom(type) && counterparts.of(type) == type) {
      return CopierChoice::memory;
    }
    if (type.isHidden() || type.isAnonymousClass() || type.isSynthetic()) {
      return orReference(
          type, "it is a lambda, an anonymous or a hidden class.", "declare a record for it.");
    }
    if (Counterparts.isOfJdk(type)) {
      return orReference(type, "it is a class of the JDK that is not copied.", jdkFix(type));
    }
    String why = ObjectCopiers.whyNot(type);
    return why == null
        ? ObjectCopiers.make(type, copiers)
        : orReference(type, why, "make it a record, or pass a portal to it.");
  }

  /// Returns the copier for a field whose values usually have the field's declared class. Returns
  /// null if they do not, or if this is not known yet. There is none for a class with references to
  /// other objects, because creating its copier might require this one.
  static @Nullable Copier ofField(Class<?> type, Copiers copiers) {
    try {
      boolean isKnown = type.isArray() ? type.componentType().isPrimitive() : isKnown(type);
      return isKnown ? copiers.of(type) : null;
    } catch (CopyRefused | LinkageError e) {
      return null; // its objects are refused, but there may be none
    }
  }

  private static boolean isKnown(Class<?> type) {
    return Counterparts.isOfJdk(type)
        ? JdkCopiers.of(type) != null
        : (type.getModifiers() & (Modifier.ABSTRACT | Modifier.INTERFACE)) == 0
            && ObjectCopiers.whyNot(type) == null
            && ObjectCopiers.isLeaf(type);
  }

  /// Passes memory as a slice over the same bytes. The receiver cannot close the memory, but the
  /// sender, which has the whole of it, can, even during the call. A slice passed as an argument is
  /// revoked at the end of the call.
  private static Object memory(Object source, CopyContext context) {
    Object met = context.met(source);
    if (met != null) {
      return met;
    }
    context.enter(source, 64);
    Memory whole = (Memory) source;
    try {
      if (whole.isLive()) {
        return context.built(source, context.memory(whole));
      }
    } catch (IllegalStateException e) {
      // The memory has been closed in the meantime.
    }
    throw CopyRefused.notPortable(
        Memory.class, "it was revoked or closed.", "pass memory that lives.");
  }

  /// Passes portals and services by reference, and refuses all other objects of the class.
  private static Copier orReference(Class<?> type, String why, String fix) {
    return (source, context) -> {
      Object reference = context.reference(source);
      if (reference == null) {
        throw CopyRefused.notPortable(type, why, fix);
      }
      return reference;
    };
  }

  private static String jdkFix(Class<?> type) {
    String name = type.getName();
    if (name.startsWith("java.util.Collections$")) {
      return "pass List.copyOf, Set.copyOf or Map.copyOf of it: a wrapper may have any collection.";
    }
    if (List.class.isAssignableFrom(type)) {
      return "pass new ArrayList<>(...) of it: a view may be one of a list of any class.";
    }
    if (CharSequence.class.isAssignableFrom(type)) {
      return "pass its toString().";
    }
    return "pass a record with what the receiver needs of it.";
  }

  private static Copier constant(Class<?> type, Counterparts counterparts) {
    Class<?> declaring = type.isEnum() ? type : type.getSuperclass();
    Class<?> target = counterparts.of(declaring);
    if (target == declaring) {
      return (source, context) -> {
        context.charge(0);
        return source;
      };
    }
    Map<String, Object> constants = new HashMap<>();
    Object[] values = target.getEnumConstants();
    if (values != null) {
      for (Object value : values) {
        constants.put(((Enum<?>) value).name(), value);
      }
    }
    return (source, context) -> {
      context.charge(0);
      Object constant = constants.get(((Enum<?>) source).name());
      if (constant == null) {
        throw new CopyRefused(
            CopyRefused.Reason.MISMATCH,
            declaring.getTypeName() + "." + ((Enum<?>) source).name(),
            "the receiver's enum has no such constant.",
            "let both sides have the same version of it.");
      }
      return constant;
    };
  }

  private static Copier array(Class<?> type, Counterparts counterparts) {
    Class<?> target = counterparts.of(type.getComponentType());
    if (target.isPrimitive()) {
      int bytes = bytes(target);
      return (source, context) -> {
        Object met = context.met(source);
        if (met != null) {
          return met;
        }
        context.enter(source, 16 + (long) bytes * Array.getLength(source));
        return context.built(source, primitives(source));
      };
    }
    return (source, context) -> {
      Object met = context.met(source);
      if (met != null) {
        return met;
      }
      Object[] from = (Object[]) source;
      context.enter(source, 16 + 8L * from.length);
      Object[] copy = (Object[]) Array.newInstance(target, from.length);
      context.shell(source, copy);
      for (int i = 0; i < copy.length; i++) {
        copy[i] = context.any(from[i]);
      }
      context.complete();
      return copy;
    };
  }

  private static Object primitives(Object source) {
    return switch (source) {
      case byte[] array -> array.clone();
      case int[] array -> array.clone();
      case long[] array -> array.clone();
      case char[] array -> array.clone();
      case double[] array -> array.clone();
      case float[] array -> array.clone();
      case short[] array -> array.clone();
      case boolean[] array -> array.clone();
      default -> throw new IllegalArgumentException(source.getClass().getTypeName());
    };
  }

  private static int bytes(Class<?> primitive) {
    if (primitive == long.class || primitive == double.class) {
      return 8;
    }
    if (primitive == int.class || primitive == float.class) {
      return 4;
    }
    return primitive == short.class || primitive == char.class ? 2 : 1;
  }
}
