package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Runs the load generator against a server, one run at a time on this machine: a lock file keeps
/// other benches from running. Used by the harness's main thread.
public final class LoadGenerator {
  private final Workspace workspace;
  private final Path program;
  private final int cpu;
  private final boolean realtime;

  /// @param cpu the core it runs on
  public LoadGenerator(Workspace workspace, int cpu, boolean realtime) throws IOException {
    this.workspace = workspace;
    this.program = workspace.loadGenerator();
    this.cpu = cpu;
    this.realtime = realtime;
  }

  /// The times of one run, and the additional data to record.
  ///
  /// @param warmSeconds load before the measured window
  /// @param seconds the window
  /// @param checkBodies compare the CRC-32 of each body (costs the client time)
  /// @param windowFifo gets "enable" and "disable" at the ends of the window, and [#ack] answers;
  ///   null for none
  /// @param snapshots file patterns to record at both ends
  /// @param sliceMillis count replies by slices of this length, too (NFS only); 0 for no slices
  public record Run(
      double warmSeconds,
      double seconds,
      boolean checkBodies,
      @Nullable Path windowFifo,
      List<String> snapshots,
      int sliceMillis) {
    public static Run of(double warmSeconds, double seconds) {
      return new Run(warmSeconds, seconds, false, null, List.of(), 0);
    }

    public Run checkingBodies() {
      return new Run(warmSeconds, seconds, true, windowFifo, snapshots, sliceMillis);
    }

    public Run sliced(int millis) {
      return new Run(warmSeconds, seconds, checkBodies, windowFifo, snapshots, millis);
    }
  }

  /// Resumes the server, loads it, and stops it again.
  ///
  /// @throws IOException if a reply was wrong or missing, with the generator's message about it
  public LoadResult run(Server server, LoadSpec load, Run run) throws IOException {
    try (MachineLock _ = MachineLock.acquire()) {
      server.resume();
      try (SlowClients _ = SlowClients.start(server.spec().port(), load.slow())) {
        String output =
            Commands.run((int) (run.warmSeconds + run.seconds) + 180, command(server, load, run));
        return LoadResult.parse(output);
      }
    } catch (IOException e) {
      throw new IOException(server.spec().system() + ": " + e.getMessage(), e);
    } finally {
      server.pause();
    }
  }

  /// Returns the command line of a run, for callers that resume the server and lock the machine
  /// themselves.
  public List<String> command(Server server, LoadSpec load, Run run) throws IOException {
    NfsLoad nfs = load.nfs();
    Path chosen =
        nfs != null
            ? workspace.nfsLoadGenerator()
            : load.tls() ? workspace.tlsLoadGenerator() : program;
    List<String> command = new ArrayList<>(List.of(chosen.toString()));
    add(command, "--port", server.spec().port());
    add(command, "--cpu", cpu);
    add(command, "--connections", load.connections());
    add(command, "--depth", load.depth());
    add(command, "--idle", load.idle());
    add(command, "--warm", run.warmSeconds);
    add(command, "--time", run.seconds);
    if (nfs != null) {
      command.addAll(nfs.options());
    } else if (load.mix() == null) {
      add(command, "--echo", load.echoBytes());
    } else {
      add(command, "--mix", load.mix());
    }
    if (load.rate() > 0) {
      add(command, "--rate", load.rate());
    }
    if (load.tls()) {
      command.add("--tls");
    }
    if (realtime) {
      command.add("--realtime");
    }
    if (run.checkBodies) {
      command.add("--crc");
    }
    if (run.sliceMillis > 0) {
      add(command, "--slice", run.sliceMillis);
    }
    if (run.windowFifo != null) {
      add(command, "--window-fifo", run.windowFifo);
      add(command, "--window-ack", ack(run.windowFifo));
    }
    List<String> snapshots = new ArrayList<>(server.cpuFiles());
    snapshots.add("/proc/stat");
    snapshots.addAll(run.snapshots);
    snapshots.forEach(pattern -> add(command, "--snapshot", pattern));
    return command;
  }

  /// Returns the fifo on which the words in `windowFifo` are answered.
  static Path ack(Path windowFifo) {
    return Path.of(windowFifo + ".ack");
  }

  private static void add(List<String> command, String option, Object value) {
    command.add(option);
    command.add(String.valueOf(value));
  }
}
