package sluice.bench.petstore;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.bench.run.Cleanup;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.Packages;
import sluice.bench.run.Progress;
import sluice.testbase.FreePort;

/// A MariaDB server with the Pet Store's table: temporary data, one loopback port, beside the
/// client and never on the server's core. Used by the harness's main thread; the shutdown hook may
/// close it.
final class Database implements AutoCloseable {
  static final String NAME = "petstore";
  static final String USER = "bench";

  private static final String DEBIAN_PACKAGE = "mariadb-server-core";
  private static final String WHY = "the Pet Store looks up its items in it";
  private static final int INSTALL_SECONDS = 120;
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 20;

  private final Process process;
  private final int port;
  private boolean closed;

  private Database(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /// Installs Debian's package if it is missing, makes the data, and starts the server.
  ///
  /// @throws IOException with the end of its log if it does not come up within a minute
  static Database start(Harness harness) throws IOException {
    String server = Packages.program("mariadbd", DEBIAN_PACKAGE, WHY);
    String install = Packages.program("mariadb-install-db", DEBIAN_PACKAGE, WHY);
    Packages.program("my_print_defaults", "mariadb-client-core", "mariadb-install-db calls it");
    Path folder = Files.createDirectories(harness.workspace().temporary("mariadb"));
    Path data = folder.resolve("data");
    Progress.say("[petstore] making a database of %,d items".formatted(PetItem.COUNT));
    List<String> make = new ArrayList<>(List.of(install, "--no-defaults", "--datadir=" + data));
    make.addAll(List.of("--skip-test-db", "--auth-root-authentication-method=normal"));
    make.addAll(user());
    Commands.run(INSTALL_SECONDS, make);
    Path script = Files.writeString(folder.resolve("init.sql"), script());
    int port = FreePort.find();
    List<String> command =
        new ArrayList<>(
            List.of("taskset", "-c", Integer.toString(harness.options().clientCpu()), server));
    command.addAll(settings(folder, script, port));
    command.addAll(user());
    File log = folder.resolve("log").toFile();
    Database database =
        Cleanup.open(() ->
            new Database(
                new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(log)
                    .start(),
                port));
    try {
      database.awaitPort(log.toPath());
    } catch (IOException e) {
      database.close();
      throw e;
    }
    return database;
  }

  /// Returns settings that keep everything in memory, without logs or profiling.
  private static List<String> settings(Path folder, Path script, int port) {
    return List.of(
        "--no-defaults",
        "--datadir=" + folder.resolve("data"),
        "--socket=" + folder.resolve("socket"),
        "--pid-file=" + folder.resolve("pid"),
        "--port=" + port,
        "--bind-address=127.0.0.1",
        "--skip-name-resolve",
        "--skip-log-bin",
        "--performance-schema=OFF",
        "--innodb-buffer-pool-size=64M",
        "--innodb-flush-log-at-trx-commit=0",
        "--max-connections=1000",
        "--thread-cache-size=256",
        "--init-file=" + script);
  }

  private static List<String> user() {
    return System.getProperty("user.name").equals("root") ? List.of("--user=root") : List.of();
  }

  private static String script() {
    return """
    CREATE DATABASE %1$s;
    USE %1$s;
    %2$sCREATE USER '%3$s'@'127.0.0.1';
    GRANT SELECT ON %1$s.* TO '%3$s'@'127.0.0.1';
    """
        .formatted(NAME, PetItem.script(), USER);
  }

  private void awaitPort(Path log) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          List<String> lines = Files.readAllLines(log);
          String end =
              String.join("\n", lines.subList(Math.max(0, lines.size() - 15), lines.size()));
          throw new IOException("mariadbd does not answer on port " + port + "\n" + end, e);
        }
      }
      Commands.sleepMillis(50);
    }
  }

  int port() {
    return port;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Cleanup.closed(this);
  }
}
