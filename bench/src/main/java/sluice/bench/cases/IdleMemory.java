package sluice.bench.cases;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Server;

/// Measures a server's memory for an idle connection: heap in use after a collection plus resident
/// memory, with the connections minus without. The heap of Java servers is touched in advance, so
/// that resident memory grows by native memory only. Used by the main thread.
final class IdleMemory {
  private static final double HOLD_SECONDS = 30;
  private static final long SETTLE_MILLIS = 1000;
  private static final int SETTLE_ATTEMPTS = 8;
  private static final long STEADY_KILOBYTES = 64;

  private final Harness harness;

  IdleMemory(Harness harness) {
    this.harness = harness;
  }

  /// Measures the memory.
  ///
  /// @return `heap_bytes_per_idle` and `native_bytes_per_idle`
  Map<String, Double> measure(Server server, LoadSpec load) throws IOException {
    try (MachineLock _ = MachineLock.acquire()) {
      server.resume();
      harness.probe().heapInUse(server); // cleaners free memory after the first collection
      double heap = -harness.probe().heapInUse(server);
      trim(server);
      double resident = -settledKilobytes(server) * 1024.0;
      Path output = harness.workspace().temporary("idle.out");
      LoadSpec quiet =
          new LoadSpec(1, 1, load.idle(), load.echoBytes(), load.mix(), 100, false, null, 0);
      List<String> command =
          harness.generator().command(server, quiet, LoadGenerator.Run.of(0, HOLD_SECONDS));
      Process client =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(output.toFile())
              .start();
      try {
        awaitConnections(client, load.idle(), output);
        heap += harness.probe().heapInUse(server);
        trim(server);
        resident += settledKilobytes(server) * 1024.0;
        if (!client.isAlive()) {
          throw new IOException("idle connections: " + Files.readString(output).strip());
        }
      } finally {
        client.destroyForcibly();
      }
      return Map.of(
          "heap_bytes_per_idle", heap / load.idle(),
          "native_bytes_per_idle", resident / load.idle());
    } finally {
      server.pause();
    }
  }

  /// Lets a JVM give back the memory that its compilers have freed, which exceeds that of many
  /// connections.
  private static void trim(Server server) throws IOException {
    if (server.spec().java()) {
      String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
      Commands.run(20, List.of(jcmd, Long.toString(server.pid()), "System.trim_native_heap"));
    }
  }

  /// Returns the resident memory once it is stable: compilers give theirs back after the warm-up.
  private static long settledKilobytes(Server server) throws IOException {
    long last = server.residentKilobytes();
    for (int i = 0; i < SETTLE_ATTEMPTS; i++) {
      Commands.sleepMillis(SETTLE_MILLIS);
      long now = server.residentKilobytes();
      if (Math.abs(now - last) <= STEADY_KILOBYTES) {
        return now;
      }
      last = now;
    }
    return last;
  }

  /// Waits until the client holds all its connections.
  private static void awaitConnections(Process client, int idle, Path output) throws IOException {
    Path folder = Path.of("/proc", Long.toString(client.pid()), "fd");
    for (int i = 0; i < 3000 && client.isAlive(); i++) {
      String[] open = folder.toFile().list();
      if (open != null && open.length >= idle) {
        return;
      }
      Commands.sleepMillis(10);
    }
    throw new IOException(
        "the client could not open " + idle + " connections: " + Files.readString(output).strip());
  }
}
