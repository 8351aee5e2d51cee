package sluice.acceptance;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `sluice nfs` in a process of its own. Used by the test's thread.
final class NfsProcess {
  private static final Duration START = Duration.ofSeconds(60);

  private final Process process;
  private final Path log;

  private NfsProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /// Starts a server and waits until it listens.
  static NfsProcess start(Path image, int port, Path directory)
      throws IOException, InterruptedException {
    Path log = Files.createTempFile(directory, "nfs-", ".log");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            EngineRun.classPathOfThis(),
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
    server.awaitListening(port);
    return server;
  }

  private void awaitListening(int port) throws IOException, InterruptedException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    long end = System.nanoTime() + START.toNanos();
    while (System.nanoTime() - end < 0 && process.isAlive()) {
      try (SocketChannel _ = SocketChannel.open(address)) {
        return;
      } catch (IOException e) {
        Thread.sleep(50); // not yet
      }
    }
    process.destroyForcibly().waitFor();
    throw new IOException("no server on port " + port + ":\n" + Files.readString(log));
  }

  /// Ends it without a chance to say anything.
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /// Ends it as an operator does.
  ///
  /// @throws IOException when it does not end, or not well
  void stop() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new IOException("the server did not end:\n" + Files.readString(log));
    }
  }
}
