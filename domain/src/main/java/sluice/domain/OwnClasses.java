package sluice.domain;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Translated bytes of what each domain has a copy of, kept for the next domain. They are the same
/// for all, and no more than the classes of `java.util.regex`. Any thread may call.
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
