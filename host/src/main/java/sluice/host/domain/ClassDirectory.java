package sluice.host.domain;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Finds the directory in which commands store transformed classes. This class is stateless.
public final class ClassDirectory {
  private static final String OFF = "off";

  private ClassDirectory() {}

  /// Returns the directory that is specified by `SLUICE_CLASS_DIR`. The default is `sluice/classes`
  /// in the user's cache directory (XDG Base Directory Specification). Returns null if
  /// `SLUICE_CLASS_DIR` is `off`.
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
