package sluice.cli.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import sluice.host.machine.MachineFiles;

/// The load of the machine's processors between two reads of `/proc/stat`. Instances are immutable.
///
/// @param busy the average number of busy processors
/// @param processors the number of processors
record MachineLoad(double busy, int processors) {
  /// The number of busy processors above which measurements are disturbed.
  private static final double DISTURBING = 0.2;

  /// The fields for idle time in a line of `/proc/stat`, without and with pending device
  /// operations.
  private static final int IDLE = 3;

  private static final int IOWAIT = 4;

  /// The number of fields that are added. Guest time is already included in the first two fields.
  private static final int MEMBERS = 8;

  /// The clock ticks of all processors since the machine was booted.
  ///
  /// @param idle the number of idle ticks
  /// @param all the number of all ticks, including idle ticks
  record Look(long idle, long all, int processors) {}

  /// Reads the current ticks.
  ///
  /// @return the ticks, or empty if `/proc/stat` cannot be read
  static Optional<Look> look(MachineFiles files) {
    Optional<String> text = files.text("proc/stat");
    Optional<long[]> total =
        text.stream()
            .flatMap(String::lines)
            .filter(line -> line.matches("cpu [ 0-9]+"))
            .map(line -> line.substring(4).strip().split(" +", -1))
            .map(words -> Arrays.stream(words).limit(MEMBERS).mapToLong(Long::parseLong).toArray())
            .filter(ticks -> ticks.length > IOWAIT)
            .findFirst();
    int processors =
        (int) text.stream().flatMap(String::lines).filter(l -> l.matches("cpu\\d.*")).count();
    return total.map(
        t -> new Look(t[IDLE] + t[IOWAIT], Arrays.stream(t).sum(), Math.max(1, processors)));
  }

  static MachineLoad between(Look first, Look second) {
    double all = second.all - first.all;
    double used = all - (second.idle - first.idle);
    return new MachineLoad(all > 0 ? used / all * second.processors : 0, second.processors);
  }

  /// Returns a warning if the measurement would be disturbed by other programs.
  Optional<String> warning() {
    return busy < DISTURBING
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "this machine is busy before anything is measured: %.1f of %d processors are in"
                    + " use, so the rounds will differ. Fix: end what runs, or measure elsewhere",
                busy,
                processors));
  }
}
