package sluice.host.life;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Names the module of the JDK in which a missing class is, where the runtime has been trimmed.
///
/// A package of Sluice has such a runtime, with a list of the packages that it lacks (made by
/// `packaging/AbsentPackages.java`); a JDK has no such list. Any thread may call.
public final class AbsentModules {
  /// What helps against a module that is absent.
  public static final String FIX =
      "install a JDK 25 and start with SLUICE_JAVA_HOME set to its directory";

  private static final Path LIST =
      Path.of(System.getProperty("java.home", "."), "lib", "absent-packages.txt");

  private AbsentModules() {}

  /// Returns why a class is missing: it is in a module that this runtime lacks.
  ///
  /// @return null for anything else that was thrown
  public static @Nullable String why(@Nullable Throwable thrown) {
    return why(thrown, LIST);
  }

  /// @param list a line for each package: its name, a space, its module
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
      return null; // what was thrown is told in any case
    }
    return null;
  }

  /// Of these two classes themselves, since a class below them may have a message of its own
  /// making.
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
