package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// nginx as people put it in front of an application: it serves the files, and passes on the rest
/// over connections that it keeps. Stateless.
public final class NginxInFront {
  private NginxInFront() {}

  /// The command that starts it; the configuration lies beside this class.
  ///
  /// @param port where it listens
  /// @param application the port it passes requests to
  /// @throws IOException when nginx is not installed
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
