package sluice.bench.run;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Samples the number of context switches of a server's threads. Opened and closed by the harness's
/// main thread; a thread of its own reads the kernel's files.
///
/// Lifecycle: started, sampling → closed, with the samples left to read.
public final class ThreadSwitches implements AutoCloseable {
  private static final Pattern COUNTS =
      Pattern.compile(
          "voluntary_ctxt_switches:\\s+(\\d+)\\s+nonvoluntary_ctxt_switches:\\s+(\\d+)");

  /// The counts up to a time.
  ///
  /// @param millis of the kernel's monotonic clock, which [System#nanoTime] uses on Linux
  public record Sample(double millis, long voluntary, long involuntary) {}

  private final List<Long> pids;
  private final int everyMillis;
  private final Thread thread;
  private final List<Sample> samples = new ArrayList<>(); // owned by the thread until it has ended
  private final Map<Path, long[]> last = new HashMap<>();
  private long voluntary;
  private long involuntary;

  private ThreadSwitches(List<Long> pids, int everyMillis) {
    this.pids = pids;
    this.everyMillis = everyMillis;
    thread = Thread.ofPlatform().daemon().name("thread switches").unstarted(this::run);
  }

  public static ThreadSwitches start(List<Long> pids, int everyMillis) {
    ThreadSwitches switches = new ThreadSwitches(pids, everyMillis);
    switches.sample(); // threads that exist before the run begin with 0
    switches.voluntary = 0;
    switches.involuntary = 0;
    switches.samples.clear();
    switches.thread.start();
    return switches;
  }

  private void run() {
    try {
      while (true) {
        sample();
        Thread.sleep(everyMillis);
      }
    } catch (InterruptedException closed) {
      sample();
    }
  }

  private void sample() {
    for (long pid : pids) {
      try (DirectoryStream<Path> tasks =
          Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
        for (Path task : tasks) {
          count(task);
        }
      } catch (IOException ended) {
        // the switches of its threads since the last sample are lost
      }
    }
    samples.add(new Sample(System.nanoTime() / 1e6, voluntary, involuntary));
  }

  private void count(Path task) {
    try {
      long[] now = parse(Files.readString(task.resolve("status")));
      long[] before = last.put(task, now);
      voluntary += now[0] - (before == null ? 0 : before[0]);
      involuntary += now[1] - (before == null ? 0 : before[1]);
    } catch (IOException ended) {
      // threads come and go
    }
  }

  /// Returns the voluntary and involuntary switches in the text of a thread's `status`.
  ///
  /// @throws IOException if they are missing
  public static long[] parse(String status) throws IOException {
    Matcher matcher = COUNTS.matcher(status);
    if (!matcher.find()) {
      throw new IOException("no switches in " + status);
    }
    return new long[] {Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))};
  }

  /// Returns the counts at a time, interpolated between the neighbouring samples.
  public static double[] at(List<Sample> samples, double millis) {
    Sample before = null;
    for (Sample sample : samples) {
      if (sample.millis >= millis) {
        if (before == null || sample.millis == before.millis) {
          return new double[] {sample.voluntary, sample.involuntary};
        }
        double share = (millis - before.millis) / (sample.millis - before.millis);
        return new double[] {
          before.voluntary + share * (sample.voluntary - before.voluntary),
          before.involuntary + share * (sample.involuntary - before.involuntary)
        };
      }
      before = sample;
    }
    return before == null ? new double[2] : new double[] {before.voluntary, before.involuntary};
  }

  /// Returns the samples of a closed sampler in the order of time.
  public List<Sample> samples() {
    return samples;
  }

  /// Takes a last sample and ends.
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
