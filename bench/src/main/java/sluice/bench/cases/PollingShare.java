package sluice.bench.cases;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.LoadSpec;
import sluice.bench.run.Progress;
import sluice.bench.run.Server;
import sluice.bench.server.TomcatServer;

/// Measures the share of a server's processor time in polling calls, from samples of its stacks
/// (`perf record`), in a run of its own. Used by the harness's main thread.
///
/// A call's share includes all work of the kernel within the call: for io_uring_enter(2) that is
/// also the requested receiving and sending.
public final class PollingShare {
  public static final String CONTROL = "control_cpu_share";
  public static final String WAIT = "wait_cpu_share";

  private static final int SAMPLES_PER_SECOND = 1999;
  private static final int REPORT_SECONDS = 120;
  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*(\\d+\\.\\d+)%\\s+(\\S.*)\\b__(?:x64|arm64)_sys_(\\w+)\\s*$");

  private final Harness harness;
  private int files;
  private boolean complained;

  public PollingShare(Harness harness) {
    this.harness = harness;
  }

  /// Samples a warm server under load.
  ///
  /// @return [#CONTROL] and [#WAIT] between 0 and 1; empty, with one message, if samples are not
  ///   available
  public Map<String, Double> measure(Server server, LoadSpec load) throws IOException {
    Path perf = Commands.find("perf");
    if (perf == null) {
      return complain("perf is not installed: no share of polling calls. Fix: install linux-perf");
    }
    double seconds = Math.max(1, harness.options().seconds());
    Path samples = harness.workspace().temporary("samples-" + ++files);
    Path messages = harness.workspace().temporary("perf-record.log");
    String pids = server.pids().stream().map(String::valueOf).collect(Collectors.joining(","));
    server.resume();
    Process recording =
        new ProcessBuilder(
                List.of(
                    perf.toString(),
                    "record",
                    "-q",
                    "-g",
                    "-e",
                    "cpu-clock",
                    "-F",
                    Integer.toString(SAMPLES_PER_SECOND),
                    "-o",
                    samples.toString(),
                    "-p",
                    pids))
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(messages.toFile())
            .start();
    try {
      harness.generator().run(server, load, LoadGenerator.Run.of(0.2, seconds));
    } finally {
      Commands.interrupt(recording, 10);
    }
    try {
      return parse(Commands.run(REPORT_SECONDS, report(perf, samples)));
    } catch (IOException e) {
      return complain(
          "no share of polling calls: perf: "
              + Files.readString(messages).strip()
              + " "
              + e.getMessage());
    } finally {
      Files.deleteIfExists(samples);
    }
  }

  private static List<String> report(Path perf, Path samples) {
    return List.of(
        perf.toString(),
        "report",
        "--stdio",
        "--children",
        "-g",
        "none",
        "-F",
        "overhead_children,comm,sym",
        "--percent-limit",
        "0",
        "-i",
        samples.toString());
  }

  /// Sums a report by kind of call, without the workers, which do not select.
  public static Map<String, Double> parse(String report) {
    double control = 0;
    double wait = 0;
    Matcher matcher = LINE.matcher(report);
    while (matcher.find()) {
      double share = Double.parseDouble(matcher.group(1)) / 100;
      if (matcher.group(2).startsWith(TomcatServer.WORKER)) {
        continue; // a blocking socket of the database driver
      }
      switch (matcher.group(3)) {
        case "epoll_ctl" -> control += share;
        case "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "io_uring_enter" ->
            wait += share;
        default -> {
          // another call
        }
      }
    }
    Map<String, Double> shares = new LinkedHashMap<>();
    shares.put(CONTROL, control);
    shares.put(WAIT, wait);
    return shares;
  }

  private Map<String, Double> complain(String message) {
    if (!complained) {
      complained = true;
      Progress.say(message);
    }
    return Map.of();
  }
}
