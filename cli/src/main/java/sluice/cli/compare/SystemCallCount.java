package sluice.cli.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Counts the system calls of a process by `perf stat`, where that is there and allowed. The main
/// thread calls. Counting slows the process down, so it has a window of its own.
final class SystemCallCount {
  private static final String EVENT = "raw_syscalls:sys_enter";
  private static final Pattern COUNT = Pattern.compile("(?m)^([0-9]+),[^,]*," + EVENT);

  private SystemCallCount() {}

  /// @param calls system calls while the load ran, or -1
  /// @param whyNot why they were not counted; empty when they were
  record Result(long calls, LoadSource.Outcome load, String whyNot) {}

  /// Counts while a load runs.
  static Result during(ProcessHandle process, Callable<LoadSource.Outcome> load) throws Exception {
    Process perf;
    try {
      perf =
          new ProcessBuilder("perf", "stat", "-x,", "-e", EVENT, "-p", Long.toString(process.pid()))
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      return new Result(-1, new LoadSource.Outcome(0, 0, 0, 0, 0), "there is no perf");
    }
    try {
      LoadSource.Outcome outcome = load.call();
      do { // a perf that has only begun may not hear the first
        new ProcessBuilder("kill", "-INT", Long.toString(perf.pid())).start().waitFor();
      } while (!perf.waitFor(1, TimeUnit.SECONDS));
      String output =
          new String(perf.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      Matcher count = COUNT.matcher(output);
      if (!count.find()) {
        String why = output.lines().findFirst().orElse("no output");
        return new Result(-1, outcome, "perf: " + why);
      }
      long calls = Long.parseLong(count.group(1));
      return calls > 0 && outcome.requests() > 0
          ? new Result(calls, outcome, "")
          : new Result(-1, outcome, "perf began when the load was over, or nothing was answered");
    } finally {
      perf.destroyForcibly();
    }
  }
}
