package sluice.bench.cases;

import java.util.List;
import sluice.bench.run.Options;

/// Estimates the time for a selection of cases, so that the user can decide before it starts.
/// Stateless.
public final class Estimate {
  /// The seconds for starting a server, checking its replies, counting its calls, and ending it.
  private static final double ONCE_SECONDS = 4;

  /// The seconds between two windows: the client's start and warm-up, signals to the server.
  private static final double BETWEEN_SECONDS = 0.5;

  /// The rate at which the client opens connections, from one core that it has alone.
  private static final double CONNECTIONS_PER_SECOND = 12_000;

  private Estimate() {}

  public static String announce(Options options, List<BenchCase> cases) {
    double seconds = 0;
    for (BenchCase benchCase : cases) {
      seconds += seconds(options, benchCase);
    }
    long minutes = Math.round(Math.ceil(seconds / 60));
    return "%d cases, %d rounds: about %s"
        .formatted(
            cases.size(),
            options.rounds(),
            minutes < 2
                ? Math.round(seconds) + " s"
                : minutes < 120 ? minutes + " min" : Math.round(minutes / 60.0) + " h");
  }

  /// Returns the seconds of a case. Systems that are not installed are counted, too.
  private static double seconds(Options options, BenchCase benchCase) {
    List<String> asked = options.peers();
    long systems =
        asked.isEmpty()
            ? benchCase.peers().defaults(options.quick()).size()
            : asked.stream().filter(benchCase.peers()::knows).count();
    double variants = (systems + 1) * (benchCase.idle() > 0 ? 2.0 : 1.0); // the A/A control
    double opening = benchCase.idle() / CONNECTIONS_PER_SECOND;
    double round = options.seconds() + BETWEEN_SECONDS + opening;
    return variants * (ONCE_SECONDS + options.warmSeconds() + options.rounds() * round);
  }
}
