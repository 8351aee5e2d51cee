package sluice.domain.carrier;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What carriers keep: a walk over their fields and those of their workers, and over collections.
final class Reach {
  private static final IdentityHashMap<Class<?>, List<Field>> FIELDS = new IdentityHashMap<>();

  private Reach() {}

  /// Returns the ways on which carriers lead to a queue.
  ///
  /// @param places are not gone through
  static List<String> from(Carriers carriers, RunQueue queue, List<CarrierScenario.Place> places) {
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    places.forEach(each -> seen.add(each.queue()));
    ArrayDeque<Object> left = new ArrayDeque<>(List.of(carriers));
    List<String> ways = new ArrayList<>();
    while (!left.isEmpty()) {
      Object from = left.remove();
      for (Map.Entry<String, Object> each : parts(from).entrySet()) {
        if (each.getValue() == queue) {
          ways.add(from.getClass().getSimpleName() + each.getKey() + " leads to " + queue);
        } else if (seen.add(each.getValue())) {
          left.add(each.getValue());
        }
      }
    }
    return ways;
  }

  private static Map<String, Object> parts(Object of) {
    Map<String, Object> parts = new java.util.LinkedHashMap<>();
    switch (of) {
      case Collection<?> all -> all.forEach(each -> put(parts, "[" + parts.size() + "]", each));
      case Object[] all -> {
        for (Object each : all) {
          put(parts, "[" + parts.size() + "]", each);
        }
      }
      case AtomicReference<?> reference -> put(parts, ".get", reference.get());
      default -> {
        if (of.getClass().getName().startsWith("sluice.domain.carrier.")) {
          fields(of.getClass()).forEach(each -> put(parts, "." + each.getName(), get(each, of)));
        }
      }
    }
    return parts;
  }

  private static void put(Map<String, Object> parts, String name, @Nullable Object value) {
    if (value != null) {
      parts.put(name, value);
    }
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> known = FIELDS.get(type);
    if (known != null) {
      return known;
    }
    List<Field> found = new ArrayList<>();
    for (Field each : type.getDeclaredFields()) {
      if (!Modifier.isStatic(each.getModifiers()) && !each.getType().isPrimitive()) {
        each.setAccessible(true);
        found.add(each);
      }
    }
    FIELDS.put(type, found);
    return found;
  }

  private static @Nullable Object get(Field field, Object of) {
    try {
      return field.get(of);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
