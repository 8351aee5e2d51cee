package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.CountersDirectory;
import sluice.cli.console.Json;
import sluice.cli.console.Screen;
import sluice.cli.console.Version;
import sluice.loop.counters.CounterFile;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.CounterValue;
import sluice.loop.server.HandlerReports;
import sluice.loop.verdict.Verdict;

/// Implements the command `sluice stat`, which displays the counters of running processes. On a
/// terminal, they are displayed as a table that is updated periodically, and otherwise as plain
/// lines. The command reads the counter files and never contacts the processes. It runs in the main
/// thread.
@Command(
    name = "stat",
    description = {
      "Shows the counters of a running server, or of all: on a terminal as a table with rates that"
          + " is drawn again each second, until Ctrl-C; in a pipe or file once, as plain lines.",
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class StatCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..1", paramLabel = "PID", description = "The process; all if not given.")
  @Nullable Long pid;

  @Option(names = "--json", description = "One line of JSON per process.")
  boolean json;

  @Option(
      names = "--watch",
      arity = "0..1",
      fallbackValue = "1",
      paramLabel = "SECONDS",
      description = "Repeat every so many seconds (1 to 3600) with rates; 1 if no number is given.")
  @Nullable Integer watch;

  @Option(names = "--once", description = "Print plain lines once, also on a terminal.")
  boolean once;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "With --watch: stop after N repetitions.")
  @Nullable Integer count;

  @Mixin CountersDirectory counters = new CountersDirectory();

  @Override
  public Integer call() throws IOException, InterruptedException {
    int watchSeconds = watch == null ? 0 : watch;
    int repetitions = count == null ? Integer.MAX_VALUE : count;
    if ((watch != null && watchSeconds < 1) || watchSeconds > 3600 || repetitions < 1) {
      throw new ParameterException(
          spec.commandLine(), "--watch takes 1 to 3600 seconds, --count at least 1");
    }
    if (watch == null && count != null) {
      throw new ParameterException(spec.commandLine(), "--count is for --watch");
    }
    if (once && watch != null) {
      throw new ParameterException(spec.commandLine(), "--once and --watch exclude each other");
    }
    Path where = counters.path();
    if (!once && !json && Screen.isThere()) {
      return live(where, watch == null ? 1 : watchSeconds, repetitions);
    }
    PrintWriter out = spec.commandLine().getOut();
    Map<Long, CounterSnapshot> before = new LinkedHashMap<>();
    for (int i = 0; ; i++) {
      List<CounterSnapshot> now = readSome(where);
      for (CounterSnapshot snapshot : now) {
        CounterSnapshot last = before.put(snapshot.pid(), snapshot);
        out.println(json ? Json.of(asJson(snapshot)) : asTable(snapshot, last, watchSeconds));
      }
      if (out.checkError()) {
        return 1; // the pipe was closed or the disk is full
      }
      if (watchSeconds == 0 || i + 1 >= repetitions) {
        return 0;
      }
      Thread.sleep(Duration.ofSeconds(watchSeconds));
    }
  }

  private int live(Path where, int seconds, int repetitions)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    List<CounterSnapshot> now =
        readSome(where); // an error at the start is printed before the screen changes
    Map<Long, CounterSnapshot> before = Map.of();
    long last = System.nanoTime();
    try (Screen screen = new Screen(out)) {
      for (int i = 0; ; i++) {
        double passed = (System.nanoTime() - last) / 1e9;
        last = System.nanoTime();
        List<StatTable.Look> looks = new ArrayList<>();
        Map<Long, CounterSnapshot> seen = new LinkedHashMap<>();
        for (CounterSnapshot each : now) {
          looks.add(new StatTable.Look(each, before.get(each.pid()), passed));
          seen.put(each.pid(), each);
        }
        before = seen;
        screen.draw(StatTable.of(looks, Screen.size()));
        if (out.checkError()) {
          return 1; // the terminal was closed
        }
        if (i + 1 >= repetitions) {
          return 0;
        }
        Thread.sleep(Duration.ofSeconds(seconds));
        now = readSome(where);
      }
    }
  }

  private List<CounterSnapshot> readSome(Path where) throws IOException {
    List<CounterSnapshot> now = read(where);
    if (now.isEmpty()) {
      throw new IOException(
          "no running server has counters in "
              + where
              + ". A server of another user or environment: --dir, or SLUICE_RUN_DIR.");
    }
    return now;
  }

  private List<CounterSnapshot> read(Path where) throws IOException {
    if (pid != null) {
      try {
        return List.of(CounterFile.read(CounterFile.fileOf(where, pid)));
      } catch (NoSuchFileException e) {
        throw new IOException(
            "process "
                + pid
                + " has no counters in "
                + where
                + ": it is gone, or is no server. Fix:"
                + " one that 'sluice stat' lists; --dir for another environment");
      }
    }
    PrintWriter err = spec.commandLine().getErr();
    return CounterFile.readAll(where, line -> err.println("sluice: " + line));
  }

  private static Map<String, Object> asJson(CounterSnapshot snapshot) {
    Map<String, Object> values = new LinkedHashMap<>();
    snapshot.values().forEach(value -> values.put(value.label(), value.value()));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("pid", snapshot.pid());
    json.put("opened_ms", snapshot.openedMillis());
    json.put("description", snapshot.description());
    json.put("counters", values);
    return json;
  }

  /// Formats the counters as one block of lines per source. The source is the part of a label
  /// before the slash. The counters of a source are not necessarily adjacent, because the counters
  /// of a loop's handlers follow the counters of the server.
  ///
  /// @param last the snapshot that was taken `seconds` ago, from which rates are computed, or null
  ///   if there is none
  static String asTable(CounterSnapshot snapshot, @Nullable CounterSnapshot last, int seconds) {
    Map<String, StringBuilder> blocks = new LinkedHashMap<>();
    Map<String, String> verdicts = new HashMap<>();
    for (int i = 0; i < snapshot.values().size(); i++) {
      CounterValue value = snapshot.values().get(i);
      int slash = value.label().indexOf('/');
      String source = value.label().substring(0, Math.max(slash, 0));
      boolean isVerdict = value.label().endsWith("/" + HandlerReports.VERDICT);
      verdicts.merge(source, isVerdict ? "  " + Verdict.text(value.value()) : "", (a, b) -> a + b);
      StringBuilder block = blocks.computeIfAbsent(source, _ -> new StringBuilder());
      block
          .append(System.lineSeparator())
          .append(
              String.format(
                  Locale.ROOT, "  %-32s %,20d", value.label().substring(slash + 1), value.value()));
      // Labels are only appended, so an index refers to the same counter in both snapshots.
      if (last != null && !value.gauge() && i < last.values().size()) {
        double rate = (value.value() - last.values().get(i).value()) / (double) seconds;
        block.append(String.format(Locale.ROOT, " %,14.0f/s", rate));
      }
    }
    StringBuilder out = new StringBuilder();
    out.append("process ").append(snapshot.pid()).append("  ").append(snapshot.description());
    blocks.forEach((source, block) -> {
      if (!source.isEmpty()) {
        out.append(System.lineSeparator()).append(' ').append(source).append(verdicts.get(source));
      }
      out.append(block);
    });
    return out.toString();
  }
}
