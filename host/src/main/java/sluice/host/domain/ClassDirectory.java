package sluice.host.domain;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Where the commands keep translated classes between runs. Stateless.
public final class ClassDirectory {
  private static final String OFF = "off";

  private ClassDirectory() {}

  /// The directory that `SLUICE_CLASS_DIR` names, else `sluice/classes` in the user's directory of
  /// caches (XDG Base Directory Specification); null if it is `off`.
  public static @Nullable Path find() {
    String named = System.getProperty("sluice.class.dir", System.getenv("SLUICE_CLASS_DIR"));
    if (named != null && !named.isEmpty()) {
      return named.equals(OFF) ? null : Path.of(named);
    }
    String caches = System.getenv("XDG_CACHE_HOME");
    Path base =
        caches != null && caches.startsWith("/")
            ? Path.of(caches)
            : Path.of(System.getProperty("user.home"), ".cache");
    return base.resolve("sluice").resolve("classes");
  }
}
