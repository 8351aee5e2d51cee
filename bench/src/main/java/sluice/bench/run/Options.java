package sluice.bench.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The command line of a bench. Immutable.
///
/// @param bench `echo`, `http`, …
/// @param peers systems to run; empty for all of the bench
/// @param cases cases to run, see `CaseChoice`; empty for all
/// @param quick fewer cases and rounds, under a minute with few systems
/// @param rounds measured rounds
/// @param seconds length of one measured window
/// @param warmSeconds load on each fresh server before its first round
/// @param overTimeSeconds length of a run that is drawn over time
/// @param json result file; null for none
/// @param plot SVG file; null for none
/// @param site folder to use as the documentation site; null for the Debian package
/// @param serverCpu core of the servers
/// @param clientCpu core of the load generator
/// @param realtime true to run the load generator with real-time priority
/// @param udpStack true if nfs compares its UDP on Sluice's network stack with the kernel's
public record Options(
    String bench,
    List<String> peers,
    List<String> cases,
    boolean quick,
    int rounds,
    double seconds,
    double warmSeconds,
    double overTimeSeconds,
    @Nullable Path json,
    @Nullable Path plot,
    @Nullable Path site,
    int serverCpu,
    int clientCpu,
    boolean realtime,
    boolean udpStack) {

  public static final String USAGE =
      """
      usage: sluice bench NAME [OPTIONS]
             sluice bench --list | NAME --help  (the cases and systems of all, or of one)
             sluice bench demo NAME [OPTIONS]   (the servers of bench poller and their client)
             sluice bench plot FILE.jsonl       (draws a result file again: FILE.svg)

        --peers A,B      run only these systems (ours is sluice/io_uring, sluice/epoll, …)
        --cases X,Y      run only the cases of these names, or whose names begin with these
                         words ("echo busy c1" is not c1280), else with these letters
        --quick          fewer cases, systems and rounds; marked as such in results
        --rounds N       measured rounds, more where the machine's speed changes (24; files, nfs,
                         fuse, churn, portal, domain, scheduler, handler and isocket 12; vi 9;
                         petstore, iozone and start 6;
                         with --quick 10, 8, 5 and 6)
        --seconds S      length of a measured window (0.2; files, nfs, fuse and churn 0.5;
                         petstore 2; handler 1; iozone, vi and isocket 0.1)
        --warm S         warm-up of each server (4; petstore 30; nfs, fuse and churn 3; portal,
                         domain and scheduler 2; vi and isocket 1, several times), longer while
                         its JVM compiles; a server without JVM has a second
        --over-time S    length of the runs that nfs draws over time (60; 10 with --quick)
        --udp-stack      of nfs: getattr over UDP on AF_XDP and on the kernel's sockets, through one
                         veth pair between two network namespaces; needs root
        --json FILE      JSON lines (bench/results/NAME.jsonl unless --quick)
        --plot FILE      an SVG plot (bench/results/NAME.svg unless --quick)
        --site DIR       serve this folder as the documentation site
        --cpus S,C       cores of server and client (0,1)
        --realtime MODE  real-time priority for the client: on, off, or where permitted (auto)
      """;

  /// Parses a command line.
  ///
  /// @throws IllegalArgumentException with a message for the user
  public static Options parse(List<String> arguments) {
    if (arguments.isEmpty() || arguments.getFirst().startsWith("-")) {
      throw new IllegalArgumentException("which bench?\n" + USAGE);
    }
    Builder builder = new Builder();
    List<String> rest = arguments.subList(1, arguments.size());
    for (int i = 0; i < rest.size(); i++) {
      String option = rest.get(i);
      if (option.equals("--quick")) {
        builder.quick = true;
      } else if (option.equals("--udp-stack") && arguments.getFirst().equals("nfs")) {
        builder.udpStack = true;
      } else if (i + 1 < rest.size()) {
        builder.set(option, rest.get(++i));
      } else {
        throw new IllegalArgumentException(option + " needs a value, or is unknown\n" + USAGE);
      }
    }
    return builder.build(arguments.getFirst());
  }

  /// Returns the default name of the result file and the plot, without extension.
  public String resultName() {
    return bench + (udpStack ? "-udp-stack" : "");
  }

  private static final class Builder {
    private List<String> peers = List.of();
    private List<String> cases = List.of();
    private boolean quick;
    private boolean udpStack;
    private boolean realtime = realtimePermitted();
    private @Nullable Integer rounds;
    private @Nullable Double seconds;
    private @Nullable Double warmSeconds;
    private @Nullable Double overTimeSeconds;
    private @Nullable Path json;
    private @Nullable Path plot;
    private @Nullable Path site;
    private int serverCpu;
    private int clientCpu = 1;

    private void set(String option, String value) {
      switch (option) {
        case "--peers" -> peers = list(value);
        case "--cases" -> cases = list(value);
        case "--rounds" -> rounds = OptionNumber.whole(option, value, 1, 1000);
        case "--seconds" -> seconds = OptionNumber.any(option, value, 0.05, 600);
        case "--warm" -> warmSeconds = OptionNumber.any(option, value, 0.1, 600);
        case "--over-time" -> overTimeSeconds = OptionNumber.any(option, value, 1, 3600);
        case "--realtime" ->
            realtime =
                switch (value) {
                  case "on" -> true;
                  case "off" -> false;
                  case "auto" -> realtimePermitted();
                  default ->
                      throw new IllegalArgumentException(
                          "--realtime takes on, off or auto: " + value);
                };
        case "--json" -> json = Path.of(value).toAbsolutePath();
        case "--plot" -> plot = Path.of(value).toAbsolutePath();
        case "--site" -> site = Path.of(value).toAbsolutePath();
        case "--cpus" -> {
          List<String> both = list(value);
          if (both.size() != 2) {
            throw new IllegalArgumentException("--cpus takes two numbers: " + value);
          }
          serverCpu = OptionNumber.whole(option, both.get(0), 0, 4095);
          clientCpu = OptionNumber.whole(option, both.get(1), 0, 4095);
        }
        default -> throw new IllegalArgumentException("unknown option " + option + "\n" + USAGE);
      }
    }

    /// Returns the default number of rounds. The host's regimes last seconds: many short rounds
    /// fall into one, a few long ones do not.
    private int defaultRounds(String bench) {
      return switch (bench) {
        case "petstore", "iozone", "start" -> 6;
        case "isocket", "handler" -> quick ? 6 : 12;
        case "portal", "domain", "scheduler" -> quick ? 6 : 12;
        case "vi" -> quick ? 6 : 9;
        case "files", "nfs", "fuse", "churn" -> quick ? 8 : 12;
        default -> quick ? 10 : 24;
      };
    }

    private double defaultSeconds(String bench) {
      return switch (bench) {
        case "iozone" -> quick ? 0.015 : 0.1;
        case "vi", "isocket" -> 0.1;
        case "handler" -> 1;
        case "files", "nfs", "fuse", "churn" -> 0.5;
        case "petstore" -> 2;
        default -> 0.2;
      };
    }

    private static boolean realtimePermitted() {
      return System.getProperty("user.name").equals("root");
    }

    private static List<String> list(String value) {
      List<String> items = new ArrayList<>();
      for (String item : value.split(",", -1)) {
        if (!item.isBlank()) {
          items.add(item.strip());
        }
      }
      return List.copyOf(items);
    }

    private Options build(String bench) {
      return new Options(
          bench,
          peers,
          cases,
          quick,
          rounds != null ? rounds : defaultRounds(bench),
          seconds != null ? seconds : defaultSeconds(bench),
          warmSeconds != null ? warmSeconds : defaultWarmSeconds(bench),
          overTimeSeconds != null ? overTimeSeconds : quick ? 10 : 60,
          json,
          plot,
          site,
          serverCpu,
          clientCpu,
          realtime,
          udpStack);
    }
  }

  private static double defaultWarmSeconds(String bench) {
    return switch (bench) {
      case "petstore" -> 30;
      case "nfs", "fuse", "churn" -> 3;
      case "portal", "domain", "scheduler" -> 2;
      case "vi", "isocket" -> 1; // for each of several exchanges
      default -> 4;
    };
  }
}
