package sluice.domain.portal.copy;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Charges for the steps of hashing copied keys before they are performed. Owned by the copying
/// thread.
///
/// JDK collections do not cache their hash. The hash of a set of sets is computed from all nested
/// elements, and a shared object is visited once per path to it. Thirty nested sets of two elements
/// take a thousand million steps.
///
/// The cost of an object is one step plus the cost of its elements or components, and is computed
/// once per object. A key is compared with the keys in its collection that have the same hash, and
/// each comparison adds to the cost. An object that is neither a JDK collection nor a record costs
/// one step, because its `hashCode` method is code of the receiver.
final class HashWork {
  /// The cost factor of comparisons. Each level of a comparison takes as many steps as a hash.
  private static final int STEPS_OF_A_COMPARISON = 8;

  private static final long BEING_WEIGHED = -1;

  private final IdentityHashMap<Object, Long> known = new IdentityHashMap<>();
  private final IdentityHashMap<Object, Map<Integer, Integer>> hashes = new IdentityHashMap<>();
  private long left;

  private final int maxDepth;

  /// @param maxDepth the depth beyond which objects are refused by the copy
  HashWork(CopyQuota quota, int maxDepth) {
    left = quota.bytes();
    this.maxDepth = maxDepth;
  }

  /// Returns true if hashing an object takes one step, or is covered by the charge for its bytes.
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

  /// Charges for adding a key to a collection.
  ///
  /// @throws CopyRefused if the quota of the call is exhausted
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
      return 1; // a cycle: its hash overflows the stack, and the copy is refused
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

  /// Returns the cost of a record's components that may refer to other objects. It uses reflection,
  /// so the first record of a class takes longer.
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
