package sluice.bench.cases;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Progress;
import sluice.bench.run.Server;

/// Loads a fresh server until its JVM has compiled the code that the load needs. Used by the
/// harness's main thread.
///
/// A fixed time is not enough: on one core that the load saturates, Tomcat's compilers need half a
/// minute, and a system whose compilers are still working is charged for them.
public final class WarmUp {
  /// The processor time per second below which a compiler counts as idle.
  public static final long RESTING_NANOS = 10_000_000;

  public static final int LONGEST_SECONDS = 60;

  private final LoadGenerator generator;

  public WarmUp(LoadGenerator generator) {
    this.generator = generator;
  }

  /// Loads the server until the compilers are idle, for at most a minute longer than `seconds`.
  ///
  /// @param seconds load before the compilers are examined
  public void run(Server server, LoadSpec load, double seconds) throws IOException {
    boolean java = server.spec().java();
    generator.run(server, load, LoadGenerator.Run.of(0, java ? seconds : Math.min(1, seconds)));
    if (!java) {
      return;
    }
    long before = compilerNanos(server.pid());
    for (int second = 0; second < LONGEST_SECONDS; second++) {
      generator.run(server, load, LoadGenerator.Run.of(0, 1));
      long after = compilerNanos(server.pid());
      if (after - before < RESTING_NANOS) {
        return;
      }
      before = after;
    }
    Progress.say(server.spec().system() + ": still compiling after a minute");
  }

  /// Returns the processor time of a JVM's compilers since it started.
  public static long compilerNanos(long pid) throws IOException {
    long sum = 0;
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path task : tasks) {
        try {
          // comm has 15 characters: "C1 CompilerThre"
          if (Files.readString(task.resolve("comm")).matches("(?s)C[12] Compiler.*")) {
            sum += Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ", 2)[0]);
          }
        } catch (IOException ended) {
          // compiler threads come and go: this one was idle, or it would not have ended
        }
      }
    }
    return sum;
  }
}
