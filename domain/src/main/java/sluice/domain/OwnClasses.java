package sluice.domain;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A cache of the translated classes of which each domain has its own copy. Their bytes are the
/// same for all domains, and amount to no more than the classes of `java.util.regex`. Any thread
/// may call.
final class OwnClasses {
  private static final ConcurrentHashMap<String, byte[]> BYTES = new ConcurrentHashMap<>();

  private OwnClasses() {}

  static byte @Nullable [] get(String internalName, Function<String, byte @Nullable []> make) {
    byte[] known = BYTES.get(internalName);
    if (known == null) {
      known = make.apply(internalName);
      if (known != null) {
        BYTES.put(internalName, known);
      }
    }
    return known;
  }
}
