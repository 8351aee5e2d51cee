package sluice.bench.run;

import java.io.IOException;
import java.util.List;

/// Installs Debian packages that a bench needs, with a message. Used by the harness's main thread.
public final class Packages {
  private static final int INSTALL_SECONDS = 600;

  private Packages() {}

  /// Finds a program, after installing its package if that is allowed.
  ///
  /// @param why the purpose, for the user to read
  /// @throws IOException if it is missing and cannot be installed, with a fix
  public static String program(String program, String debianPackage, String why)
      throws IOException {
    if (Commands.find(program) == null) {
      install(debianPackage, why);
    }
    java.nio.file.Path found = Commands.find(program);
    if (found == null) {
      throw new IOException(program + " is not on the PATH though " + debianPackage + " is there");
    }
    return found.toString();
  }

  /// Installs a package without those it only recommends. No program of it is started.
  ///
  /// @throws IOException if that fails, or this user may not install packages
  static void install(String debianPackage, String why) throws IOException {
    String fix =
        debianPackage
            + " is not installed. Why: "
            + why
            + ". Fix: apt-get install --no-install-recommends "
            + debianPackage;
    boolean administrator = System.getProperty("user.name").equals("root");
    if (!administrator || Commands.find("apt-get") == null) {
      throw new IOException(fix);
    }
    Progress.say("installing %s: %s".formatted(debianPackage, why));
    String command =
        "apt-get -qq update && DEBIAN_FRONTEND=noninteractive"
            + " apt-get -qq install --no-install-recommends \"$0\"";
    try {
      Commands.run(INSTALL_SECONDS, List.of("sh", "-c", command, debianPackage));
    } catch (IOException e) {
      throw new IOException(fix + "\n" + e.getMessage(), e);
    }
  }
}
