package sluice.fs;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/// The tools of e2fsprogs, and the kernel's own mount.
public final class LinuxTools {
  private LinuxTools() {}

  /// Skips the test where a tool is missing.
  public static void require(String... tools) {
    for (String tool : tools) {
      Assumptions.assumeTrue(find(tool) != null, "needs " + tool);
    }
  }

  private static @Nullable String find(String tool) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/sbin:/usr/sbin";
    for (String directory : path.split(":", -1)) {
      File file = new File(directory, tool);
      if (file.canExecute()) {
        return file.getPath();
      }
    }
    return null;
  }

  /// What a command said, and how it ended.
  public record Said(int exit, String output) {}

  public static Said run(String... command) throws IOException {
    List<String> words = new ArrayList<>(List.of(command));
    String found = find(words.getFirst());
    words.set(0, found == null ? words.getFirst() : found);
    Path output = Files.createTempFile("tool", ".txt");
    try {
      Process process =
          new ProcessBuilder(words)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .redirectInput(new File("/dev/null"))
              .start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(words + " did not end");
      }
      return new Said(process.exitValue(), Files.readString(output, StandardCharsets.ISO_8859_1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      Files.delete(output);
    }
  }

  /// Runs what must succeed.
  public static String must(String... command) throws IOException {
    Said said = run(command);
    if (said.exit != 0) {
      throw new IOException(List.of(command) + " ended with " + said.exit + ": " + said.output);
    }
    return said.output;
  }

  /// Requests to debugfs, one a line.
  public static String debugfs(Path image, String... requests) throws IOException {
    Path file = Files.createTempFile("debugfs", ".txt");
    try {
      Files.write(file, List.of(requests));
      return must("debugfs", "-w", "-f", file.toString(), image.toString());
    } finally {
      Files.delete(file);
    }
  }

  /// The blocks of a file, in order.
  ///
  /// @param file as debugfs names it, such as `<8>`
  public static long[] blocksOf(Path image, String file, int count) throws IOException {
    String[] requests = new String[count];
    for (int i = 0; i < count; i++) {
      requests[i] = "bmap " + file + " " + i;
    }
    return debugfs(image, requests)
        .lines()
        .filter(line -> line.matches("[0-9]+"))
        .mapToLong(Long::parseLong)
        .toArray();
  }
}
