package sluice.cli.compare;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Child;
import sluice.cli.console.Json;
import sluice.cli.console.Version;
import sluice.host.file.UsageException;

/// Implements the command `sluice run --compare`. It starts an application alternately with the
/// selector provider of the JDK and with the provider of Sluice, applies the user's own load, and
/// determines which provider is better. It runs in the main thread.
@Command(
    name = "sluice run --compare",
    description = {
      "Starts the application in turn on the JDK's selectors and on ours (A B B A …), sends the"
          + " same load, and says with confidence intervals whether it helped.",
      "The application must listen on the same port at each start."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
public final class CompareCommand implements Callable<Integer> {
  static final int LEAST_ROUNDS = 6;

  /// The maximum number of requests per window, which is limited because each latency is stored.
  private static final int MOST_REQUESTS = 20_000_000;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(names = "--compare", hidden = true, description = "This command.")
  boolean compare;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "auto",
      description = "Ours: auto, readiness, completion. Default: ${DEFAULT-VALUE}")
  String backend = "auto";

  @Option(
      names = "--static",
      paramLabel = "DIR",
      description = "Ours: files of DIR are answered before the application is asked.")
  @Nullable Path files;

  @Option(
      names = "--load",
      paramLabel = "FILE",
      description =
          "URLs to ask for, one per line, in turn. Without it and --load-command: the first pages"
              + " of the ports on which the application listens, and what they load.")
  @Nullable Path load;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Requests per second; latency counts from when each was due. Default: 1000")
  int rate = 1000;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "64",
      description = "Default: ${DEFAULT-VALUE}")
  int connections = 64;

  @Option(
      names = "--load-command",
      paramLabel = "CMD",
      description =
          "A command that sends the load instead and prints 'N requests', as wrk does; with"
              + " 'wrk --latency' its latencies too. It gets SLUICE_WINDOW, the seconds to run.")
  @Nullable String loadCommand;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Where the application listens, with --load-command.")
  int port;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "6",
      description = "Measurements of each, at least 6. Default: 6")
  int rounds = LEAST_ROUNDS;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      defaultValue = "30",
      description = "Seconds of load before each measurement. Default: 30")
  int warmUpSeconds = 30;

  @Option(
      names = "--window",
      paramLabel = "S",
      defaultValue = "10",
      description = "Seconds of each measurement. Default: 10")
  int windowSeconds = 10;

  @Option(names = "--json", description = "One JSON object instead of the table.")
  boolean json;

  @Parameters(
      arity = "1..*",
      paramLabel = "APP",
      description = "JVM options, the jar or -cp PATH MAIN, and arguments, as for 'sluice run'.")
  List<String> application = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    Comparison comparison;
    try {
      String launcher = System.getenv("SLUICE_LAUNCHER");
      if (launcher == null) {
        throw new UsageException("--compare needs the launcher. Fix: ./sluice run --compare …");
      }
      LoadSource source = source(launcher, err);
      CompareRounds plan =
          new CompareRounds(launcher, ours(), application, source, warmUpSeconds, windowSeconds);
      comparison = plan.run(rounds, err::println);
    } catch (IOException e) {
      if (Child.isEnding()) {
        return 1; // terminated by a signal
      }
      throw e;
    } catch (UsageException e) {
      err.println("sluice run --compare: " + e.getMessage());
      return 2;
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(comparison.asJson()));
    } else {
      comparison.lines().forEach(out::println);
    }
    out.flush();
    return 0;
  }

  private CompareRounds.Ours ours() throws UsageException {
    Path directory = files;
    if (directory != null && !Files.isDirectory(directory)) {
      throw new UsageException(
          "--static " + directory + ": no such directory. Fix: name the one with the files.");
    }
    if (directory != null && backend.equals("readiness")) {
      throw new UsageException("--static needs our own channels. Fix: leave --backend out.");
    }
    return new CompareRounds.Ours(backend, directory);
  }

  private LoadSource source(String launcher, PrintWriter err)
      throws IOException, UsageException, InterruptedException {
    within("--rounds", rounds, LEAST_ROUNDS, 1000);
    within("--rate", rate, 1, 1_000_000);
    within("--connections", connections, 1, 10_000);
    within("--window", windowSeconds, 1, 600);
    within("--warm-up", warmUpSeconds, 0, 600);
    if (loadCommand == null
        && (long) rate * Math.max(warmUpSeconds, windowSeconds) > MOST_REQUESTS) {
      throw new UsageException(
          "--rate "
              + rate
              + " for "
              + Math.max(warmUpSeconds, windowSeconds)
              + " s: at most "
              + MOST_REQUESTS
              + " requests at a time. Fix: a lower rate or a shorter time.");
    }
    if (!List.of("auto", "readiness", "completion").contains(backend)) {
      throw new UsageException("--backend " + backend + ": use auto, readiness or completion.");
    }
    if (load != null && loadCommand != null) {
      throw new UsageException(
          "two loads are named. Fix: either --load FILE or --load-command CMD");
    }
    if (load != null) {
      return LoadSource.of(OpenLoopLoad.read(load, rate, connections));
    }
    if (loadCommand == null) {
      return searched(launcher, err);
    }
    if (port < 1 || port > 65535) {
      throw new UsageException("--load-command needs --port N, where the application listens.");
    }
    return LoadSource.of(loadCommand, port);
  }

  /// Returns a load that consists of URLs which were found in the application itself.
  private LoadSource searched(String launcher, PrintWriter err)
      throws IOException, InterruptedException {
    List<URI> urls = new UrlSearch(launcher, application).find(err::println);
    LoadSource source = LoadSource.of(new OpenLoopLoad(urls, rate, connections));
    new CompareRounds(launcher, new CompareRounds.Ours(backend, files), application, source, 0, 1)
        .awaitSilence();
    return source;
  }

  private static void within(String option, int value, int least, int most) throws UsageException {
    if (value < least || value > most) {
      throw new UsageException(option + " " + value + ": " + least + " to " + most + ".");
    }
  }
}
