package sluice.cli.compare;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.cli.console.Child;
import sluice.host.machine.MachineFiles;

/// Executes the measurements of a comparison in the order A B B A …. Each measurement is performed
/// in a new JVM that is warmed up first. Instances are confined to the main thread.
///
/// @param launcher the `sluice` script, which starts the application with `sluice run`
/// @param ours the configuration that is compared with the provider of the JDK
/// @param application the JVM options, the jar and the arguments of the application
/// @param load the source of requests
/// @param warmUpSeconds the duration of the warm-up in seconds
/// @param windowSeconds the duration of a measurement in seconds
public record CompareRounds(
    String launcher,
    Ours ours,
    List<String> application,
    LoadSource load,
    int warmUpSeconds,
    int windowSeconds) {
  private static final int START_SECONDS = 120;
  private static final int END_SECONDS = 30;
  private static final int SYSTEM_CALL_SECONDS = 2;

  /// The time during which the load of the machine is observed.
  private static final int LOOK_MILLIS = 1000;

  /// The configuration of the Sluice side of the comparison.
  ///
  /// @param backend the value of `--backend`
  /// @param files the value of `--static`, or null if no files are served in front of the
  ///   application
  public record Ours(String backend, @Nullable Path files) {
    String name() {
      return files == null ? backend : "files first";
    }

    /// Returns true if the path of a URL refers to a file that is served without the application.
    boolean isFile(URI url) {
      Path directory = files;
      String path = url.getPath();
      if (directory == null || path == null || path.contains("/.")) {
        return false;
      }
      Path named = directory.resolve(path.replaceFirst("^/+", ""));
      return Files.isRegularFile(path.endsWith("/") ? named.resolve("index.html") : named);
    }

    private List<String> words() {
      return files == null
          ? List.of("--backend", backend)
          : List.of("--backend", backend, "--static", files.toString());
    }
  }

  /// Measures both sides alternately.
  ///
  /// @param rounds the number of measurements of each side
  /// @param progress a consumer that receives the plan and lines about each measurement
  /// @throws IOException if the application or the load fails
  public Comparison run(int rounds, Consumer<String> progress)
      throws IOException, InterruptedException {
    List<Measurement> theirs = new ArrayList<>();
    List<Measurement> mine = new ArrayList<>();
    int windows = parts() == null ? 1 : 3;
    int seconds = warmUpSeconds + windows * windowSeconds + SYSTEM_CALL_SECONDS;
    progress.accept(
        String.format(
            Locale.ROOT,
            "%d measurements of about %d s and the application's start each: %d minutes or more",
            2 * rounds,
            seconds,
            (2 * rounds * seconds + 59) / 60));
    warnIfBusy(progress);
    for (int round = 0; round < rounds; round++) {
      for (int turn = 0; turn < 2; turn++) {
        boolean isOurs = (round + turn) % 2 == 1;
        String name = isOurs ? ours.name() : "jdk";
        String which =
            String.format(Locale.ROOT, "%2d of %d  %-10s ", 2 * round + turn + 1, 2 * rounds, name);
        Measurement measurement = measure(isOurs, line -> progress.accept(which + line));
        (isOurs ? mine : theirs).add(measurement);
        progress.accept(which + measurement.summary());
      }
    }
    return new Comparison(ours.name(), theirs, mine);
  }

  private static void warnIfBusy(Consumer<String> progress) throws InterruptedException {
    MachineFiles files = new MachineFiles(Path.of("/"));
    Optional<MachineLoad.Look> first = MachineLoad.look(files);
    Thread.sleep(LOOK_MILLIS);
    Optional<MachineLoad.Look> second = MachineLoad.look(files);
    if (first.isPresent() && second.isPresent()) {
      MachineLoad.between(first.get(), second.get()).warning().ifPresent(progress);
    }
  }

  private Measurement measure(boolean isOurs, Consumer<String> progress)
      throws IOException, InterruptedException {
    if (answers()) {
      throw new IOException(
          load.target() + " answers already: end what listens there, or name another port.");
    }
    List<String> command = new ArrayList<>(List.of(launcher, "run"));
    command.addAll(isOurs ? ours.words() : List.of("--backend", "jdk"));
    command.addAll(application);
    Path log = Files.createTempFile("sluice-compare", ".log");
    log.toFile().deleteOnExit();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    Child child = new Child(process);
    try (child) {
      progress.accept("starting");
      awaitStart(process, log);
      if (warmUpSeconds > 0) {
        progress.accept("warming up, " + warmUpSeconds + " s");
        load.send(warmUpSeconds);
      }
      progress.accept("measuring, " + windowSeconds + " s");
      return window(process, log);
    } finally {
      if (child.wasKilled()) {
        progress.accept("did not end within " + Child.TIMEOUT_SECONDS + " s of SIGTERM: killed");
      }
      Files.deleteIfExists(log);
      awaitSilence();
    }
  }

  /// Waits until the port is closed. The kernel does not close descriptors that are held by an
  /// io_uring, including listening sockets, until some time after the process has terminated.
  public void awaitSilence() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    while (answers() && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
  }

  /// The requests for files and all other requests, as two separate loads.
  private record Parts(LoadSource files, LoadSource others) {}

  /// Splits the load into requests for files and all other requests.
  ///
  /// @return the two loads, or null if the load does not contain both kinds of requests
  private @Nullable Parts parts() {
    LoadSource files = load.only(ours::isFile);
    LoadSource others = load.only(url -> !ours.isFile(url));
    return files == null || others == null ? null : new Parts(files, others);
  }

  /// Measures the CPU time per request for one kind of requests, in microseconds.
  private double cpuOf(LoadSource part, ProcessTree tree) throws IOException, InterruptedException {
    double before = tree.cpuSeconds();
    LoadSource.Outcome outcome = part.send(windowSeconds);
    double micros = (tree.cpuSeconds() - before) * 1e6;
    return outcome.requests() == 0 ? Double.NaN : micros / outcome.requests();
  }

  private Measurement window(Process process, Path log) throws IOException, InterruptedException {
    ProcessTree tree = new ProcessTree(new MachineFiles(Path.of("/")), process.toHandle());
    double before = tree.cpuSeconds();
    LoadSource.Outcome outcome = load.send(windowSeconds);
    double cpu = tree.cpuSeconds() - before;
    long resident = tree.residentBytes();
    Parts parts = parts();
    double fileMicros = parts == null ? Double.NaN : cpuOf(parts.files, tree);
    double otherMicros = parts == null ? Double.NaN : cpuOf(parts.others, tree);
    if (!process.isAlive()) {
      throw new IOException("the application ended during the measurement:\n" + tail(log));
    }
    if (outcome.requests() == 0) {
      throw new IOException("no request was answered. The application says:\n" + tail(log));
    }
    SystemCallCount.Result calls = systemCalls(process);
    double perRequest =
        calls.calls() < 0 ? Double.NaN : (double) calls.calls() / calls.load().requests();
    return new Measurement(
        outcome, cpu, resident, perRequest, calls.whyNot(), fileMicros, otherMicros);
  }

  private SystemCallCount.Result systemCalls(Process process)
      throws IOException, InterruptedException {
    try {
      return SystemCallCount.during(process.toHandle(), () -> load.send(SYSTEM_CALL_SECONDS));
    } catch (IOException | InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(load.target(), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void awaitStart(Process process, Path log) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!answers()) {
      if (!process.isAlive()) {
        throw new IOException("the application did not start:\n" + tail(log));
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "nothing answered at "
                + load.target()
                + " within "
                + START_SECONDS
                + " s. Fix: have the application listen on one port at each start, and send the"
                + " load to it. It says:\n"
                + tail(log));
      }
      Thread.sleep(50);
    }
  }

  static String tail(Path log) throws IOException {
    List<String> lines = Files.readString(log).lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  /// The result of one window.
  ///
  /// @param load the outcome of the load
  /// @param cpuSeconds the CPU time of the application's processes
  /// @param residentBytes the resident memory of the application's processes
  /// @param callsPerRequest the system calls per request, or NaN if they could not be counted
  /// @param whyNoCalls the reason why the system calls could not be counted, or an empty string
  /// @param fileMicros the CPU time per request for a file, measured with only such requests, or
  ///   NaN if the load does not contain both kinds of requests
  /// @param otherMicros the CPU time per other request, or NaN in the same case
  public record Measurement(
      LoadSource.Outcome load,
      double cpuSeconds,
      long residentBytes,
      double callsPerRequest,
      String whyNoCalls,
      double fileMicros,
      double otherMicros) {
    public Measurement(
        LoadSource.Outcome load,
        double cpuSeconds,
        long residentBytes,
        double callsPerRequest,
        String whyNoCalls) {
      this(load, cpuSeconds, residentBytes, callsPerRequest, whyNoCalls, Double.NaN, Double.NaN);
    }

    double cpuMicros() {
      return cpuSeconds * 1e6 / load.requests();
    }

    double p99() {
      return load.p99();
    }

    /// Returns one line that summarizes this measurement.
    public String summary() {
      String cpu = String.format(Locale.ROOT, "%7.1f µs CPU per request", cpuMicros());
      return Double.isNaN(p99()) ? cpu : cpu + String.format(Locale.ROOT, "  p99 %.0f µs", p99());
    }
  }
}
