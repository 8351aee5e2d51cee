package sluice.cli.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import sluice.host.machine.MachineFiles;

/// How busy the machine's processors were between two looks at `/proc/stat`. Immutable.
///
/// @param busy processors in use, on average
/// @param processors how many there are
record MachineLoad(double busy, int processors) {
  /// Processors in use from which on figures are disturbed.
  private static final double DISTURBING = 0.2;

  /// Members of a line of `/proc/stat` in which nothing runs: idle, and idle with a device at work.
  private static final int IDLE = 3;

  private static final int IOWAIT = 4;

  /// Members that count; guests' time is in the first two as well.
  private static final int MEMBERS = 8;

  /// One look: clock ticks of all processors since the start.
  ///
  /// @param idle of `all`
  record Look(long idle, long all, int processors) {}

  /// @return empty where `/proc/stat` cannot be read
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

  /// A line for the user when other programs would disturb what is measured.
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
