package sluice.host.life;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Finds the JDK module of a missing class if the runtime image has been trimmed.
///
/// The packages of Sluice include such a runtime with a list of the Java packages that it lacks
/// (made by `packaging/AbsentPackages.java`); a JDK has no such list. Thread-safe.
public final class AbsentModules {
  /// The fix for a missing module.
  public static final String FIX =
      "install a JDK 25 and start with SLUICE_JAVA_HOME set to its directory";

  private static final Path LIST =
      Path.of(System.getProperty("java.home", "."), "lib", "absent-packages.txt");

  private AbsentModules() {}

  /// Returns the reason why a class is missing if it is in a module that this runtime lacks.
  ///
  /// @return null for all other exceptions
  public static @Nullable String why(@Nullable Throwable thrown) {
    return why(thrown, LIST);
  }

  /// Returns the reason why a class is missing.
  ///
  /// @param list the file with a line for each package: its name, a space, its module
  static @Nullable String why(@Nullable Throwable thrown, Path list) {
    String missing = missingClass(thrown);
    if (missing == null || missing.lastIndexOf('.') < 0 || !Files.isReadable(list)) {
      return null;
    }
    String start = missing.substring(0, missing.lastIndexOf('.')) + " ";
    try {
      for (String line : Files.readAllLines(list)) {
        if (line.startsWith(start)) {
          return "it uses %s of module %s, which the runtime %s lacks"
              .formatted(
                  missing,
                  line.substring(start.length()),
                  System.getProperty("java.home", "in use"));
        }
      }
    } catch (IOException e) {
      return null; // the exception is reported anyway
    }
    return null;
  }

  /// Returns the name of the missing class. Subclasses of the two exceptions are not considered,
  /// because their messages may have another format.
  private static @Nullable String missingClass(@Nullable Throwable thrown) {
    if (thrown != null
        && (thrown.getClass() == NoClassDefFoundError.class
            || thrown.getClass() == ClassNotFoundException.class)) {
      String name = thrown.getMessage();
      return name == null ? null : name.replace('/', '.');
    }
    return null;
  }
}
