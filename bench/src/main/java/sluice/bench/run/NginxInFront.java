package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Starts nginx as it is commonly put in front of an application: it serves the files, and passes
/// the other requests on over persistent connections. Stateless.
public final class NginxInFront {
  private NginxInFront() {}

  /// Returns the command that starts nginx. The configuration is a resource beside this class.
  ///
  /// @param port the port it listens on
  /// @param application the port it passes requests to
  /// @throws IOException if nginx is not installed
  public static List<String> command(Systems systems, int port, int application, Path root)
      throws IOException {
    String missing = Systems.missing("nginx");
    Path program = Commands.find("nginx");
    if (missing != null || program == null) {
      throw new IOException(missing == null ? "nginx has gone" : missing);
    }
    Path work = Files.createDirectories(systems.workspace().temporary("nginx-" + port));
    String user = System.getProperty("user.name").equals("root") ? "user root;" : "";
    String configuration =
        Workspace.text("nginx-front.conf")
            .replace("@WORK@", work.toString())
            .replace("@USER@", user)
            .replace("@PORT@", Integer.toString(port))
            .replace("@APPLICATION@", Integer.toString(application))
            .replace("@ROOT@", root.toString());
    Path file = Files.writeString(work.resolve("nginx.conf"), configuration);
    return List.of(program.toString(), "-p", work.toString(), "-c", file.toString());
  }
}
