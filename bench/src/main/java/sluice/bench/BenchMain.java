package sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sluice.bench.cases.Bench;
import sluice.bench.cases.CaseResult;
import sluice.bench.cases.ResultPlot;
import sluice.bench.cases.Table;
import sluice.bench.poller.PollerDemo;
import sluice.bench.run.Harness;
import sluice.bench.run.Json;
import sluice.bench.run.LoadGenerator;
import sluice.bench.run.Options;
import sluice.bench.run.Probe;
import sluice.bench.run.Regime;
import sluice.bench.run.Sites;
import sluice.bench.run.Systems;
import sluice.bench.run.Workspace;

/// The command `sluice bench`: runs a bench, prints a table, writes JSON lines and a plot. Runs
/// only on the main thread.
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] args) {
    System.exit(run(List.of(args)));
  }

  /// Runs the command.
  ///
  /// @param arguments as after `sluice bench`
  /// @return the process's exit status: 0, 1 if a system could not be measured, 2 for wrong
  ///   arguments
  public static int run(List<String> arguments) {
    try {
      if (!arguments.isEmpty() && arguments.getFirst().equals("demo")) {
        return PollerDemo.run(arguments.subList(1, arguments.size()));
      }
      if (arguments.size() == 2 && arguments.getFirst().equals("plot")) {
        return plot(Path.of(arguments.getLast()));
      }
      if (arguments.contains("--list")) {
        System.out.print(list(arguments.getFirst()));
        return 0;
      }
      if (arguments.isEmpty() || arguments.contains("--help") || arguments.contains("-h")) {
        System.out.print(help(arguments));
        return arguments.isEmpty() ? 2 : 0;
      }
      Options options = Options.parse(arguments);
      return bench(options);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return 2;
    } catch (IOException e) {
      System.err.println("bench: " + e.getMessage());
      return 1;
    }
  }

  /// Draws the plot of a result file again, beside it.
  private static int plot(Path file) throws IOException {
    String name = file.getFileName().toString().replaceFirst("\\.jsonl$", "");
    Path picture = file.resolveSibling(name + ".svg");
    Files.writeString(picture, ResultPlot.render(Files.readAllLines(file)));
    System.out.println(picture);
    return 0;
  }

  /// Returns the cases and systems of the bench of that name; of all benches if `name` is an
  /// option.
  static String list(String name) {
    if (!name.startsWith("-")) {
      return Benches.named(name).list();
    }
    StringBuilder out = new StringBuilder();
    Benches.ALL.forEach(bench -> out.append(bench.list()));
    return out.toString();
  }

  /// Returns the options, and the cases and systems of the bench, if one is named.
  static String help(List<String> arguments) {
    String name = arguments.isEmpty() ? "-" : arguments.getFirst();
    return name.startsWith("-")
        ? Options.USAGE
        : Options.USAGE + "\nCases, and below them their systems:\n" + list(name);
  }

  private static int bench(Options options) throws IOException {
    Bench bench = Benches.named(options.bench());
    bench.check(options);
    try (Workspace workspace = Workspace.open()) {
      Harness harness = harness(options, workspace);
      Map<String, Object> environment = Environment.describe(harness);
      List<CaseResult> results = new ArrayList<>();
      bench.run(
          harness,
          result -> {
            results.add(result);
            System.out.println(Table.render(result));
            write(harness, environment, results);
          });
      return results.stream().allMatch(r -> r.failures().isEmpty()) ? 0 : 1;
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static Harness harness(Options options, Workspace workspace) throws IOException {
    LoadGenerator generator = new LoadGenerator(workspace, options.clientCpu(), options.realtime());
    return new Harness(
        options,
        workspace,
        new Systems(workspace),
        new Sites(workspace.cache(), options.site()),
        generator,
        new Probe(workspace, generator),
        new Regime(workspace, options.serverCpu()));
  }

  private static void write(
      Harness harness, Map<String, Object> environment, List<CaseResult> results) {
    try {
      writeFiles(harness, environment, results);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeFiles(
      Harness harness, Map<String, Object> environment, List<CaseResult> results)
      throws IOException {
    Options options = harness.options();
    Path json = target(harness, options.json(), ".jsonl");
    if (json != null) {
      StringBuilder text = new StringBuilder();
      Map<String, Object> head = new LinkedHashMap<>();
      head.put("bench", options.bench());
      head.put("environment", environment);
      text.append(Json.write(head));
      text.append('\n');
      for (CaseResult result : results) {
        result.lines(options.quick()).forEach(l -> text.append(Json.write(l)).append('\n'));
      }
      Files.writeString(json, text);
    }
    Path plot = target(harness, options.plot(), ".svg");
    if (plot != null) {
      Bench bench = Benches.named(options.bench());
      String subtitle =
          environment.get("cpu")
              + ", "
              + environment.get("kernel")
              + ", "
              + bench.where(options)
              + ", "
              + environment.get("date")
              + (options.quick() ? ", quick" : "");
      Files.writeString(plot, bench.plot(results, subtitle));
    }
  }

  /// Returns the requested file, else the one in `bench/results`; none for quick runs.
  private static @Nullable Path target(Harness harness, @Nullable Path asked, String suffix)
      throws IOException {
    Path file = asked;
    if (file == null && !harness.options().quick()) {
      Path folder = harness.workspace().project().resolve("bench").resolve("results");
      file = folder.resolve(harness.options().resultName() + suffix);
    }
    Path parent = file == null ? null : file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    return file;
  }
}
