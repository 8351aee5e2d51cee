package sluice.domain.portal.copy;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The steps that hashes of copied keys take, charged before they are taken. A collection of the
/// JDK keeps no hash: that of a set of sets walks all below it, and what is shared once for each
/// way to it, so that thirty sets of two take a thousand million steps. Owned by the thread that
/// copies.
///
/// The steps of an object are one and those of its elements or components, computed once for each
/// object. A key whose hash others of its collection have is compared with these, so it costs once
/// more for each. An object of another class than the JDK's or a record is one step: its `hashCode`
/// is code of the receiver.
final class HashWork {
  /// A comparison walks at each level what a hash walks.
  private static final int STEPS_OF_A_COMPARISON = 8;

  private static final long BEING_WEIGHED = -1;

  private final IdentityHashMap<Object, Long> known = new IdentityHashMap<>();
  private final IdentityHashMap<Object, Map<Integer, Integer>> hashes = new IdentityHashMap<>();
  private long left;

  private final int maxDepth;

  /// @param maxDepth deeper objects are refused by the copy
  HashWork(CopyQuota quota, int maxDepth) {
    left = quota.bytes();
    this.maxDepth = maxDepth;
  }

  /// Whether the hash of an object takes a step, or what its bytes were charged for.
  static boolean isLeaf(@Nullable Object key) {
    return key == null
        || key instanceof String
        || key instanceof Number
        || key instanceof Enum<?>
        || !(key instanceof Collection<?>
            || key instanceof Map<?, ?>
            || key instanceof Map.Entry<?, ?>
            || key instanceof Optional<?>
            || key instanceof Record);
  }

  /// Before a key is put into a collection.
  ///
  /// @throws CopyRefused if the work of the call is used up
  void charge(Object collection, Object key) {
    long steps = steps(key, 0);
    take(steps, key);
    Map<Integer, Integer> counts = hashes.computeIfAbsent(collection, _ -> new HashMap<>());
    int before = counts.merge(key.hashCode(), 1, Integer::sum) - 1;
    take(steps * STEPS_OF_A_COMPARISON * before, key);
  }

  private void take(long steps, Object key) {
    left -= steps;
    if (left < 0) {
      throw new CopyRefused(
          CopyRefused.Reason.QUOTA,
          key.getClass().getTypeName() + " as a key",
          "its hash takes more steps than the call's quota has bytes.",
          "use keys that are not nested, or pass the elements in a list.");
    }
  }

  private long steps(@Nullable Object object, int depth) {
    if (object == null || isLeaf(object) || depth > maxDepth) {
      return 1;
    }
    Long before = known.put(object, BEING_WEIGHED);
    long steps = before == null ? 1 : before;
    if (before == null) {
      steps = below(object, depth);
    } else if (before == BEING_WEIGHED) {
      return 1; // a cycle: its hash overflows the stack, which is refused
    }
    known.put(object, steps);
    return steps;
  }

  private long below(Object object, int depth) {
    long sum = 1;
    switch (object) {
      case Collection<?> elements -> sum += all(elements, depth);
      case Map<?, ?> map -> sum += all(map.keySet(), depth) + all(map.values(), depth);
      case Map.Entry<?, ?> entry ->
          sum += all(Arrays.asList(entry.getKey(), entry.getValue()), depth);
      case Optional<?> value -> sum += steps(value.orElse(null), depth + 1);
      case Record value -> sum += components(value, depth);
      default -> {}
    }
    return Math.min(sum, Integer.MAX_VALUE);
  }

  private long all(Collection<?> elements, int depth) {
    long sum = 0;
    for (Object element : elements) {
      sum += steps(element, depth + 1);
    }
    return sum;
  }

  /// The components that may lead on; by reflection, so the first of a class costs some time.
  private long components(Record value, int depth) {
    long sum = 0;
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      sum++;
      Class<?> type = component.getType();
      if (!type.isPrimitive() && type != String.class) {
        sum += steps(Shape.component(value, component), depth + 1);
      }
    }
    return sum;
  }
}
