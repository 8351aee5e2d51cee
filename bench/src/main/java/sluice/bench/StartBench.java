package sluice.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.HttpProbe;
import sluice.bench.cases.Rounds;
import sluice.bench.run.Cleanup;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.MachineLock;
import sluice.bench.run.Options;
import sluice.bench.run.Progress;
import sluice.bench.run.Role;
import sluice.bench.run.Series;
import sluice.bench.run.Server;
import sluice.bench.run.ServerSpec;

/// Measures the time from starting a server's process to the end of its first reply, and its memory
/// after another second without work. Sluice is started by the launcher script, as users start it.
/// Servers may use all cores here. Used by the main thread.
final class StartBench implements Bench {
  private static final String NAME = "start";

  private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final List<String> SYSTEMS =
      List.of("sluice/io_uring", "netty-nio", "netty-epoll", "jdk-epoll", "nginx", "h2o");

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String list() {
    return "start: first reply (quick)\n    " + String.join(" ", SYSTEMS) + '\n';
  }

  @Override
  public void check(Options options) {
    CaseChoice.checkPeers(this, options, Role.SMALL::knows);
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    done.accept(run(harness, harness.sites().small()));
  }

  private static CaseResult run(Harness harness, Path root) throws IOException {
    Map<String, Series> series = new LinkedHashMap<>();
    Map<String, String> failures = new LinkedHashMap<>();
    List<String> asked = harness.options().peers();
    for (String system : asked.isEmpty() ? SYSTEMS : asked) {
      try {
        Progress.say("[start] first start of %s".formatted(system));
        once(
            harness, system,
            root); // caches of the kernel and of the launcher fill outside the rounds
        series.put(system, new Series(system, false));
      } catch (IOException e) {
        failures.put(system, String.valueOf(e.getMessage()));
        Progress.say("FAILED: %s".formatted(e.getMessage()));
      }
    }
    for (int round = 0; round < harness.options().rounds(); round++) {
      for (String system : Rounds.inTurn(series.keySet(), round)) {
        Map<String, Double> metrics = once(harness, system, root);
        Series target = series.get(system);
        if (target != null) {
          target.addRound(metrics);
        }
        Progress.say(
            "[start] round %d/%d %-16s %8.1f ms"
                .formatted(
                    round + 1,
                    harness.options().rounds(),
                    system,
                    metrics.getOrDefault("first_reply_ms", Double.NaN)));
      }
    }
    return new CaseResult(NAME, "first reply", List.copyOf(series.values()), failures);
  }

  private static Map<String, Double> once(Harness harness, String system, Path root)
      throws IOException {
    ServerSpec spec = harness.systems().spec(system, Role.SMALL, root).withoutAddedFlags();
    File log = harness.workspace().temporary("start.log").toFile();
    try (MachineLock _ = MachineLock.acquire()) {
      long start = System.nanoTime();
      try (Started server = Cleanup.open(() -> Started.by(spec, log))) {
        awaitReply(server.process, spec, start);
        long elapsed = System.nanoTime() - start;
        Commands.sleepMillis(1000);
        return Map.of(
            "first_reply_ms", elapsed / 1e6, "rss_kb", (double) residentKilobytes(server.process));
      } catch (IOException e) {
        throw new IOException(e.getMessage() + "\n" + Files.readString(log.toPath()).strip(), e);
      }
    }
  }

  /// A server's process and its descendants.
  private record Started(Process process) implements AutoCloseable {
    static Started by(ServerSpec spec, File log) throws IOException {
      return new Started(
          new ProcessBuilder(spec.command())
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(log)
              .start());
    }

    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      process.onExit().orTimeout(5, TimeUnit.SECONDS).join();
      Cleanup.closed(this);
    }
  }

  private static void awaitReply(Process process, ServerSpec spec, long start) throws IOException {
    while (true) {
      try (HttpProbe probe = new HttpProbe(spec.port())) {
        if (probe.get("/1k.txt").status() == 200) {
          return;
        }
      } catch (IOException e) {
        boolean late = System.nanoTime() - start > LIMIT_NANOS;
        if (late || !process.isAlive()) {
          throw new IOException(spec.system() + ": no reply: " + e.getMessage(), e);
        }
      }
      LockSupport.parkNanos(POLL_NANOS); // spinning would take one of the server's processors
    }
  }

  private static long residentKilobytes(Process process) throws IOException {
    List<Long> pids = new ArrayList<>(List.of(process.pid()));
    process.descendants().forEach(p -> pids.add(p.pid()));
    return Server.residentKilobytes(pids);
  }
}
