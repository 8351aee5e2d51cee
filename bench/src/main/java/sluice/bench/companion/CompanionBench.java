package sluice.bench.companion;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import sluice.bench.companion.CompanionSelectorServer.Who;
import sluice.bench.run.Commands;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.loop.engine.Backend;
import sluice.sys.uring.IoUring;

/// Whether requests that need no application should wait for it: one application thread turns the
/// loop between its work, or a companion thread turns it. Runs on the main thread; client and
/// servers are threads of this process.
///
/// 5 000 fast requests a second; for the application 2 000 a second, or as many as keep a core at
/// 30 %. CPU per request is that of the server's threads without the application's own code.
public final class CompanionBench {
  public static final String NAME = "companion";

  private static final double FAST_RATE = 5_000;
  private static final double APPLICATION_RATE = 2_000;
  private static final double APPLICATION_SHARE = 0.3;
  private static final long[] WORK_MICROS = {0, 50, 500, 5_000};
  private static final Set<String> SERVER_THREADS = Set.of("application", "companion");
  private static final Set<String> CLIENT_THREADS = Set.of("sender", "receiver");
  private static final int RING_ROUNDS = 5;

  private final Options options;

  private CompanionBench(Options options) {
    this.options = options;
  }

  private interface Maker {
    CompanionServer make(long workNanos) throws IOException, InterruptedException;
  }

  private record Kind(String name, Maker maker) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("io_uring owner", w -> new CompanionLoopServer(Backend.IO_URING, false, w)),
          new Kind("io_uring companion", w -> new CompanionLoopServer(Backend.IO_URING, true, w)),
          new Kind("selector owner", w -> new CompanionSelectorServer(Who.OWNER, w)),
          new Kind("selector companion", w -> new CompanionSelectorServer(Who.COMPANION, w)),
          new Kind("selector hand-over", w -> new CompanionSelectorServer(Who.HAND_OVER, w)));

  /// @return the process's exit status
  public static int run(Options options) throws IOException {
    try (MachineLock _ = MachineLock.acquire()) {
      CompanionBench bench = new CompanionBench(options);
      bench.table(false);
      if (!options.quick()) {
        bench.table(true);
      }
      bench.rings();
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /// @param oneCore whether all of the server is on one core and the client on another; else the
  ///   kernel chooses
  private void table(boolean oneCore) throws IOException, InterruptedException {
    print("%nserver threads: %s%n", oneCore ? "one core for both" : "where the kernel puts them");
    print(
        "%-20s %8s %7s %8s %8s %8s %10s%n",
        "", "app us", "app/s", "p50 us", "p99 us", "p99.9", "cpu ns/req");
    for (long micros : WORK_MICROS) {
      for (Kind kind : KINDS) {
        row(kind, micros, oneCore);
      }
    }
  }

  private void row(Kind kind, long micros, boolean oneCore)
      throws IOException, InterruptedException {
    double rate =
        micros == 0
            ? APPLICATION_RATE
            : Math.min(APPLICATION_RATE, APPLICATION_SHARE * 1e6 / micros);
    try (CompanionServer server = kind.maker.make(1_000 * micros);
        CompanionClient client = new CompanionClient(server.port(), FAST_RATE, rate)) {
      if (oneCore) {
        place();
      }
      Thread.sleep((long) (options.warmSeconds() * 1e3));
      long cpu = server.cpuNanos();
      long work = server.workNanos();
      long works = server.works();
      long replies = client.replies();
      client.measure();
      Thread.sleep((long) (options.seconds() * 1e3));
      long[] latencies = client.sorted();
      print(
          "%-20s %8.0f %7.0f %8.0f %8.0f %8.0f %10.0f%n",
          kind.name,
          (server.workNanos() - work) / 1e3 / Math.max(1, server.works() - works),
          rate,
          percentile(latencies, 0.5),
          percentile(latencies, 0.99),
          percentile(latencies, 0.999),
          (double) (server.cpuNanos() - cpu) / (client.replies() - replies));
    }
  }

  private static double percentile(long[] sorted, double share) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[(int) Math.min(sorted.length - 1, sorted.length * share)] / 1e3;
  }

  private void rings() throws IOException {
    int deferred = IoUring.SETUP_SINGLE_ISSUER | IoUring.SETUP_DEFER_TASKRUN;
    print("%n%-34s %12s %12s%n", "ring, 64 connections, 64 B", "cpu ns/req", "req/enter");
    for (int round = 0; round < RING_ROUNDS; round++) {
      ring("SINGLE_ISSUER|DEFER_TASKRUN", deferred);
      ring("COOP_TASKRUN", IoUring.SETUP_COOP_TASKRUN);
    }
  }

  private void ring(String name, int flags) throws IOException {
    try (CompanionRing ring = new CompanionRing(flags)) {
      ring.measure(options.warmSeconds());
      double[] found = ring.measure(options.seconds());
      print("%-34s %12.0f %12.1f%n", name, found[0], found[1]);
    }
  }

  @SuppressWarnings("AnnotateFormatMethod") // all callers are above
  private static void print(String format, Object... values) {
    System.out.printf(Locale.ROOT, format, values);
  }

  /// Puts the threads of the server on one core and those of the client on the other.
  private void place() throws IOException {
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        String name = Files.readString(task.resolve("comm")).strip();
        if (SERVER_THREADS.contains(name)) {
          pin(task, options.serverCpu());
        } else if (CLIENT_THREADS.contains(name)) {
          pin(task, options.clientCpu());
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void pin(Path task, int cpu) throws IOException {
    Commands.run(
        10, List.of("taskset", "-p", "-c", Integer.toString(cpu), task.getFileName().toString()));
  }
}
