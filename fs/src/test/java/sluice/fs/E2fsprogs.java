package sluice.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/// Runs the programs of e2fsprogs, which decide whether an image is valid. Confined to the test's
/// thread.
public final class E2fsprogs {
  private E2fsprogs() {}

  /// The exit code and the output of a program.
  public record Result(int exit, String output) {}

  public static Result run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("sluice-tool", ".txt");
    try {
      String[] words = command.clone();
      words[0] = found(words[0]);
      Process process =
          new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile())
              .start();
      if (!LinuxTools.endsInTime(process)) {
        throw new IOException("did not end: " + String.join(" ", command));
      }
      String text = new String(Files.readAllBytes(output), StandardCharsets.ISO_8859_1);
      return new Result(process.exitValue(), text);
    } finally {
      Files.delete(output);
    }
  }

  /// Returns the program's path in the directories that Debian uses, or its bare name, which is
  /// then searched in the PATH.
  private static String found(String program) {
    for (String directory : List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin")) {
      Path path = Path.of(directory, program);
      if (Files.isExecutable(path)) {
        return path.toString();
      }
    }
    return program;
  }

  public static boolean has(String program) {
    return found(program).startsWith("/");
  }

  public static void require(String program) {
    if (has(program)) {
      return;
    }
    Assumptions.abort(program + " is missing; Fix: apt-get install e2fsprogs");
  }

  /// Asserts that `e2fsck -fn` finds no problem.
  public static void assertClean(Path image) throws IOException, InterruptedException {
    Result result = run("e2fsck", "-fn", image.toString());
    assertThat(result.exit()).as(result.output()).isZero();
  }

  public static void mke2fs(Path image, String... options)
      throws IOException, InterruptedException {
    String[] command = new String[options.length + 3];
    command[0] = "mke2fs";
    command[1] = "-Fq";
    System.arraycopy(options, 0, command, 2, options.length);
    command[command.length - 1] = image.toString();
    Result result = run(command);
    assertThat(result.exit()).as(result.output()).isZero();
  }

  public static String debugfs(Path image, String request)
      throws IOException, InterruptedException {
    return run("debugfs", "-R", request, image.toString()).output();
  }

  /// Creates an image file of a given size, filled with zeros.
  public static Path image(Path directory, String name, long bytes) throws IOException {
    Path image = directory.resolve(name);
    try (var file =
        Files.newByteChannel(image, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.position(bytes - 1);
      file.write(ByteBuffer.wrap(new byte[1]));
    }
    return image;
  }
}
