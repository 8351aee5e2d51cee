package sluice.bench.domain;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/// The process of one system of a case. Each system has its own, so that no other system's profile
/// influences its compiled code. Runs on the main thread, one command per line on standard input
/// until its end: a number of milliseconds, answered by `ok METRIC=VALUE…`, or `error WHAT`.
/// Arguments: BENCH CASE SYSTEM.
final class WorkMain {
  private static long seen;

  private WorkMain() {}

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = System.out;
    System.setOut(System.err); // output of libraries is not an answer
    try (Work work = work(arguments[0], arguments[1], arguments[2]);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      answers.println("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        answers.println(answer(work, line));
      }
    }
    if (seen == 42) {
      System.err.println("42");
    }
  }

  static Work work(String bench, String name, String system) throws Exception {
    return switch (bench) {
      case PortalBench.NAME -> PortalWorks.of(name, system);
      case DomainBench.NAME -> DomainWorks.of(name, system);
      case SchedulerBench.NAME -> SchedulerWorks.of(name, system);
      case VerifyBench.VERIFY, VerifyBench.TRANSLATE -> JarClasses.of(bench, name, system);
      default -> throw new IllegalArgumentException(bench);
    };
  }

  static String answer(Work work, String line) {
    try {
      double nanos = measure(work, Long.parseLong(line.strip()) * 1_000_000);
      StringJoiner answer = new StringJoiner(" ").add("ok").add(WorkCase.METRIC + "=" + nanos);
      work.extra().forEach((name, value) -> answer.add(name + "=" + value));
      return answer.toString();
    } catch (Exception e) {
      return ("error " + e).replace('\n', ' ');
    }
  }

  /// Returns the nanoseconds of each piece of work, of as many as fill the time. The number of
  /// pieces between two readings of the clock grows until the cost of a reading is negligible.
  static double measure(Work work, long nanos) throws Exception {
    int times = 1;
    long done = 0;
    long measured = 0;
    long start = System.nanoTime();
    long passed = 0;
    while (passed < nanos) {
      long before = passed;
      seen += work.run(times);
      done += times;
      passed = System.nanoTime() - start;
      long own = work.measuredNanos();
      measured += own < 0 ? passed - before : own;
      if (passed - before < 500_000 && times < 1 << 24) {
        times *= 2;
      }
    }
    return (double) measured / done;
  }
}
