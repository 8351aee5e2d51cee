package sluice.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// What one client gets through a FUSE mount, one request at a time and past the kernel's caches:
/// ours, with one, two and four threads, beside the least a C server does. Used by the main thread.
final class FuseBench implements Bench {
  private static final String NAME = "fuse";
  private static final List<String> CASES = List.of("stat", "read");
  private static final List<String> SYSTEMS = List.of("sluice/1", "c", "sluice/2", "sluice/4");

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String list() {
    StringBuilder text = new StringBuilder();
    for (String name : CASES) {
      text.append(NAME + ": ").append(name).append(" (quick)\n    ");
      text.append(String.join(" ", SYSTEMS)).append('\n');
    }
    return text.toString();
  }

  @Override
  public void check(Options options) {
    for (String peer : options.peers()) {
      if (!SYSTEMS.contains(peer)) {
        throw new IllegalArgumentException("no system of fuse is called " + peer + "\n" + list());
      }
    }
    for (String name : options.cases()) {
      if (CASES.stream().noneMatch(known -> known.startsWith(name))) {
        throw new IllegalArgumentException("no case of fuse is called " + name + "\n" + list());
      }
    }
  }

  @Override
  public void run(Harness harness, Consumer<CaseResult> done) throws IOException {
    Options options = harness.options();
    List<String> asked = options.peers().isEmpty() ? SYSTEMS : options.peers();
    Map<String, Mounted> mounts = new LinkedHashMap<>();
    try (MachineLock _ = MachineLock.acquire()) {
      for (String system : asked) {
        mounts.put(system, Mounted.of(harness, system));
      }
      for (String name : CASES) {
        boolean wanted =
            options.cases().isEmpty() || options.cases().stream().anyMatch(name::startsWith);
        if (wanted) {
          done.accept(measure(harness, name, mounts));
        }
      }
    } finally {
      mounts.values().forEach(Mounted::close);
    }
  }

  private static CaseResult measure(Harness harness, String name, Map<String, Mounted> mounts)
      throws IOException {
    Map<String, Series> series = new LinkedHashMap<>();
    for (var entry : mounts.entrySet()) {
      entry.getValue().ask(harness, name, harness.options().warmSeconds());
      series.put(entry.getKey(), new Series(entry.getKey(), false));
    }
    for (int round = 0; round < harness.options().rounds(); round++) {
      List<String> order = new ArrayList<>(mounts.keySet());
      if (round % 2 == 1) {
        Collections.reverse(order);
      }
      for (String system : order) {
        Mounted mounted = mounts.get(system);
        Series target = series.get(system);
        if (mounted != null && target != null) {
          long cpu = mounted.cpuNanos();
          double[] answers = mounted.ask(harness, name, harness.options().seconds());
          double rate = answers[0] / answers[1];
          double perAnswer = (mounted.cpuNanos() - cpu) / answers[0];
          target.addRound(Map.of("rps", rate, "cpu_ns_per_req", perAnswer));
          Harness.progress(
              "[fuse] %s round %d/%d %-10s %,.0f/s"
                  .formatted(name, round + 1, harness.options().rounds(), system, rate));
        }
      }
    }
    return new CaseResult(NAME, name, List.copyOf(series.values()), Map.of());
  }

  /// A server and its mount point.
  private record Mounted(Process process, Path directory) {
    static Mounted of(Harness harness, String system) throws IOException {
      Path directory =
          Files.createDirectories(
              harness.workspace().temporary("mount-" + system.replace('/', '-')));
      List<String> command = new ArrayList<>();
      if (system.equals("c")) {
        command.add(harness.workspace().fusePeer().toString());
        command.add(directory.toString());
      } else {
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-cp"));
        command.add(harness.workspace().classPath(false));
        command.add(FuseServer.class.getName());
        command.add(directory.toString());
        command.add(system.substring(system.indexOf('/') + 1));
      }
      Process process =
          new ProcessBuilder(command)
              .redirectInput(new File("/dev/null"))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      Mounted mounted = new Mounted(process, directory);
      BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
      if (!"ready".equals(out.readLine())) {
        mounted.close();
        throw new IOException(
            system
                + " did not mount. Why: it needs root and /dev/fuse, see above. Fix: run as root,"
                + " modprobe fuse");
      }
      return mounted;
    }

    /// Processor time of the server so far.
    long cpuNanos() {
      return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }

    /// @return operations, seconds
    double[] ask(Harness harness, String name, double seconds) throws IOException {
      String[] words =
          Commands.run(
                  (int) seconds + 30,
                  List.of(
                      harness.workspace().fuseClient().toString(),
                      name,
                      directory.resolve("file").toString(),
                      Double.toString(seconds)))
              .strip()
              .split(" ", -1);
      return new double[] {Double.parseDouble(words[0]), Double.parseDouble(words[1])};
    }

    void close() {
      try {
        Commands.run(10, List.of("umount", "-l", directory.toString()));
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (IOException e) {
        process.destroyForcibly(); // it may not have mounted
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
