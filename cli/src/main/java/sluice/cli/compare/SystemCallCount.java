package sluice.cli.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Counts the system calls of a process with `perf stat`, provided that it is installed and
/// permitted. It is called by the main thread. The system calls are counted in a separate window,
/// because counting slows down the process.
final class SystemCallCount {
  private static final String EVENT = "raw_syscalls:sys_enter";
  private static final Pattern COUNT = Pattern.compile("(?m)^([0-9]+),[^,]*," + EVENT);

  private SystemCallCount() {}

  /// The result of a count.
  ///
  /// @param calls the number of system calls during the load, or -1 if they were not counted
  /// @param load the outcome of the load
  /// @param whyNot the reason why the system calls were not counted, or an empty string
  record Result(long calls, LoadSource.Outcome load, String whyNot) {}

  /// Counts the system calls while a load is executed.
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
      do { // perf may miss a signal that is sent right after its start
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
