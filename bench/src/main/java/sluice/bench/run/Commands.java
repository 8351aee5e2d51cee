package sluice.bench.run;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs helper programs. Any thread.
public final class Commands {
  private Commands() {}

  /// Runs a program to its end and returns its output and error output.
  ///
  /// @throws IOException if it cannot be started, fails, or takes longer than `seconds`
  public static String run(int seconds, List<String> command) throws IOException {
    Path output = Files.createTempFile("sluice-bench", ".out");
    output.toFile().deleteOnExit(); // for Ctrl-C
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(output.toFile())
              .start();
      await(process, seconds, command);
      String text = Files.readString(output, StandardCharsets.ISO_8859_1);
      if (process.exitValue() != 0) {
        throw new IOException(
            text.strip()
                + " (status "
                + process.exitValue()
                + " of "
                + String.join(" ", command)
                + ")");
      }
      return text;
    } finally {
      Files.deleteIfExists(output);
    }
  }

  private static void await(Process process, int seconds, List<String> command) throws IOException {
    try {
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    throw new IOException(String.join(" ", command) + ": not done after " + seconds + " s");
  }

  /// Returns the path of a program in `PATH` or in the folders for administrators; null if there is
  /// none.
  public static @Nullable Path find(String program) {
    List<String> folders = new ArrayList<>();
    String path = System.getenv("PATH");
    if (path != null) {
      folders.addAll(List.of(path.split(":", -1)));
    }
    folders.addAll(List.of("/usr/sbin", "/sbin", "/usr/local/sbin"));
    for (String folder : folders) {
      Path candidate = Path.of(folder, program);
      if (!folder.isEmpty() && Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  /// Sends a signal to processes.
  public static void signal(String name, List<Long> pids) throws IOException {
    if (pids.isEmpty()) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    pids.forEach(pid -> command.add(Long.toString(pid)));
    run(60, command);
  }

  /// Sends SIGINT to a program, as Ctrl-C does, and waits for its end; kills it if it does not end
  /// in time.
  public static void interrupt(Process process, int seconds) {
    try {
      if (process.isAlive()) {
        signal("INT", List.of(process.pid()));
      }
    } catch (IOException e) {
      // it ended before the signal came, or is killed below
    }
    try {
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }

  public static void sleepMillis(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
