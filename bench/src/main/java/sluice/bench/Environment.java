package sluice.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.bench.run.Commands;
import sluice.bench.run.Harness;
import sluice.bench.run.Options;
import sluice.bench.run.Systems;

/// The first line of a result file: the machine, the programs, the settings and the date.
/// Stateless.
final class Environment {
  private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*: (.*)$");
  private static final Pattern MEMORY = Pattern.compile("(?m)^MemTotal:\\s+(\\d+) kB$");

  private Environment() {}

  static Map<String, Object> describe(Harness harness) throws IOException {
    Options options = harness.options();
    Map<String, Object> e = new LinkedHashMap<>();
    e.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    e.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    e.put("arch", System.getProperty("os.arch"));
    e.put("cpu", first(MODEL, "/proc/cpuinfo"));
    e.put("cpus", Runtime.getRuntime().availableProcessors());
    e.put("memory_kb", first(MEMORY, "/proc/meminfo"));
    e.put("jvm", System.getProperty("java.vm.name") + " " + Runtime.version());
    e.put("jvm_flags", String.join(" ", Systems.jvmFlags()));
    e.put("netty_flags", String.join(" ", Systems.nettyFlags()));
    e.put("netty", io.netty.util.Version.identify().values().iterator().next().artifactVersion());
    e.put("nginx", version("nginx", "-v"));
    e.put("h2o", version("h2o", "--version"));
    e.put("gcc", version("gcc", "--version"));
    e.put("commit", commit(harness.workspace().project()));
    e.put("path", Benches.named(options.bench()).where(options));
    e.put("server_cpu", options.serverCpu());
    e.put("client_cpu", options.clientCpu());
    e.put("client_realtime", options.realtime());
    e.put("rounds", options.rounds());
    e.put("window_s", options.seconds());
    e.put("warm_s", options.warmSeconds());
    e.put("quick", options.quick());
    return e;
  }

  private static String first(Pattern pattern, String file) throws IOException {
    Matcher matcher = pattern.matcher(Files.readString(Path.of(file)));
    return matcher.find() ? matcher.group(1) : "unknown";
  }

  private static String version(String program, String option) {
    Path path = Commands.find(program);
    if (path == null) {
      return "not installed";
    }
    try {
      return Commands.run(10, List.of(path.toString(), option)).lines().findFirst().orElse("");
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static String commit(Path project) {
    try {
      return Commands.run(
              10, List.of("git", "-C", project.toString(), "rev-parse", "--short", "HEAD"))
          .strip();
    } catch (IOException e) {
      return "unknown";
    }
  }
}
