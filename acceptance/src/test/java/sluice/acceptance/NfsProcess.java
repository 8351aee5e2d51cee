package sluice.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.testbase.Await;
import sluice.testbase.Child;

/// `sluice nfs` in a process of its own. Used by the test's thread.
final class NfsProcess {
  private static final Duration START = Duration.ofMinutes(3);

  private static final Pattern PORT = Pattern.compile("mountport=(\\d+),");

  private final Process process;
  private final Path log;

  private NfsProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /// Starts a server and waits until it says that it listens.
  ///
  /// @param port 0 for any
  static NfsProcess start(Path image, int port, Path directory)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "nfs-", ".log");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            Child.classPath(),
            "sluice.cli.Main",
            "nfs",
            image.toString(),
            "--port",
            Integer.toString(port),
            "--squash",
            "none",
            "--no-portmap");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    NfsProcess server = new NfsProcess(process, log);
    int _ = server.port();
    return server;
  }

  /// The port that it listens on, once it does.
  int port() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < START.toNanos()) {
      boolean alive = process.isAlive();
      Matcher said = PORT.matcher(Files.readString(log));
      if (said.find()) {
        return Integer.parseInt(said.group(1));
      }
      if (!alive) {
        break;
      }
      Thread.sleep(50);
    }
    kill();
    throw new IOException("no server:\n" + Files.readString(log));
  }

  /// Ends it without a chance to say anything.
  void kill() throws InterruptedException {
    int _ = Await.end(process.destroyForcibly());
  }

  /// Ends it as an operator does.
  ///
  /// @throws IOException when it does not end, or not well
  void stop() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(180, TimeUnit.SECONDS)) {
      kill();
      throw new IOException("the server did not end:\n" + Files.readString(log));
    }
  }
}
