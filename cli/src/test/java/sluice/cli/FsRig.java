package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import sluice.host.disk.MountedImage;

/// Runs `sluice fs` in the test's own process and keeps its output. Used by the test's thread.
final class FsRig {
  final Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  FsRig(Path directory) {
    this.directory = directory;
  }

  /// Runs the command and returns its exit code.
  int run(String... words) {
    return run(Commands.commandLine(), words);
  }

  int run(CommandLine commands, String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> args = new ArrayList<>(List.of("fs"));
    args.addAll(List.of(words));
    return commands
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args.toArray(String[]::new));
  }

  /// Returns the image, mounted for changes.
  MountedImage mounted() throws IOException {
    return MountedImage.open(image(), false, new PrintWriter(err, true));
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  Path image() {
    return directory.resolve("disk.img");
  }

  /// Creates a file on the host and its parent directories.
  Path file(String name, byte[] content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }
}
