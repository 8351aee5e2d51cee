package sluice.fs;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import sluice.testbase.Await;

/// Runs the tools of e2fsprogs and the kernel's own mount.
public final class LinuxTools {
  private static final long TIMEOUT_SECONDS = 600;

  private LinuxTools() {}

  /// Skips the test if a tool is missing.
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

  /// The exit code and the output of a command.
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
      if (!endsInTime(process)) {
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

  /// Waits for the end of a process that may have much work on a busy machine. If the process does
  /// not end in time, or the wait is interrupted, it is killed. Its resources, such as a mount, are
  /// free when this method returns.
  public static boolean endsInTime(Process process) throws InterruptedException {
    boolean ended = false;
    try {
      ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } finally {
      if (!ended) {
        process.destroyForcibly().onExit().join();
      }
    }
    return ended;
  }

  /// Runs a command that must succeed.
  public static String must(String... command) throws IOException {
    Said said = run(command);
    if (said.exit != 0) {
      throw new IOException(List.of(command) + " ended with " + said.exit + ": " + said.output);
    }
    return said.output;
  }

  /// Waits until no loop device uses a file any more. After an unmount or `losetup --detach`,
  /// another program such as udev may keep the device open for a while.
  public static void awaitNoLoop(Path image) throws IOException {
    Path real = image.toRealPath();
    Await.until("the end of the loop device over " + image, () -> !isBehindALoop(real));
  }

  private static boolean isBehindALoop(Path real) throws IOException {
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path device : devices) {
        if (backingFile(device).equals(real.toString())) {
          return true;
        }
      }
    }
    return false;
  }

  private static String backingFile(Path loop) {
    try {
      return Files.readString(loop.resolve("loop/backing_file")).strip();
    } catch (IOException e) {
      return ""; // there is no such device, or it has just gone
    }
  }

  /// Runs requests of debugfs, one per line.
  public static String debugfs(Path image, String... requests) throws IOException {
    Path file = Files.createTempFile("debugfs", ".txt");
    try {
      Files.write(file, List.of(requests));
      return must("debugfs", "-w", "-f", file.toString(), image.toString());
    } finally {
      Files.delete(file);
    }
  }

  /// Returns the blocks of a file, in order.
  ///
  /// @param file the name of the file for debugfs, such as `<8>`
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
