package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The command `sluice bench`: runs a bench, prints a table, writes JSON lines and a plot. Runs on
/// the main thread alone.
public final class BenchMain {
  private BenchMain() {}

  public static void main(String[] args) {
    System.exit(run(List.of(args)));
  }

  /// @param arguments as after `sluice bench`
  /// @return the process's exit status: 0, 1 when a system could not be measured, 2 for wrong
  ///   arguments
  public static int run(List<String> arguments) {
    try {
      if (!arguments.isEmpty() && arguments.getFirst().equals("demo")) {
        return PollerDemo.run(arguments.subList(1, arguments.size()));
      }
      if (arguments.contains("--list")) {
        System.out.print(list());
        return 0;
      }
      if (arguments.isEmpty() || arguments.contains("--help")) {
        System.out.print(Options.USAGE);
        return arguments.isEmpty() ? 2 : 0;
      }
      return bench(Options.parse(arguments));
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return 2;
    } catch (IOException e) {
      System.err.println("bench: " + e.getMessage());
      return 1;
    }
  }

  private static String list() {
    StringBuilder out = new StringBuilder();
    for (String bench : BenchCase.BENCHES) {
      if (bench.equals(StartBench.NAME)) {
        out.append("start: first reply\n");
        continue;
      }
      for (BenchCase c : BenchCase.of(bench)) {
        out.append(bench).append(": ").append(c.name()).append(c.quick() ? " (quick)" : "");
        out.append("\n    ").append(String.join(" ", Systems.names(c.role()))).append('\n');
      }
    }
    return out.toString();
  }

  private static int bench(Options options) throws IOException {
    boolean start = options.bench().equals(StartBench.NAME);
    List<BenchCase> cases =
        start
            ? List.of()
            : BenchCase.of(options.bench()).stream().filter(options::selects).toList();
    if (!start && cases.isEmpty()) {
      throw new IllegalArgumentException(
          "no case of " + options.bench() + " is selected\n" + list());
    }
    for (String peer : options.peers()) {
      boolean known = start || cases.stream().anyMatch(c -> Systems.knows(c.role(), peer));
      if (!known) {
        throw new IllegalArgumentException(
            "no system of these cases is called " + peer + "\n" + list());
      }
    }
    try (Workspace workspace = Workspace.open()) {
      Harness harness = harness(options, workspace);
      Map<String, Object> environment = Environment.describe(harness);
      List<CaseResult> results = new ArrayList<>();
      if (start) {
        results.add(new StartBench(harness).run());
        System.out.println(Table.render(results.getLast()));
      } else {
        keepOffServerCpu(options);
        for (BenchCase benchCase : cases) {
          results.add(new CaseRunner(harness, benchCase).run());
          System.out.println(Table.render(results.getLast()));
          write(harness, environment, results); // what is done is kept if a later case fails
        }
      }
      write(harness, environment, results);
      return results.stream().allMatch(r -> r.failures().isEmpty()) ? 0 : 1;
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
        new Probe(workspace, generator));
  }

  /// The harness itself runs beside the client, never on the server's core.
  private static void keepOffServerCpu(Options options) throws IOException {
    long pid = ProcessHandle.current().pid();
    Commands.run(
        10,
        List.of(
            "taskset",
            "-a",
            "-p",
            "-c",
            Integer.toString(options.clientCpu()),
            Long.toString(pid)));
  }

  private static void write(
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
      String subtitle =
          environment.get("cpu")
              + ", "
              + environment.get("kernel")
              + ", loopback, "
              + environment.get("date")
              + (options.quick() ? ", quick" : "");
      Files.writeString(plot, SvgPlot.render(options.bench(), results, subtitle));
    }
  }

  /// The file asked for, else the one under `bench/results`; none for quick runs.
  private static @Nullable Path target(Harness harness, @Nullable Path asked, String suffix)
      throws IOException {
    Path file = asked;
    if (file == null && !harness.options().quick()) {
      Path folder = harness.workspace().project().resolve("bench").resolve("results");
      file = folder.resolve(harness.options().bench() + suffix);
    }
    Path parent = file == null ? null : file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    return file;
  }
}
