package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Failure;
import sluice.cli.console.Interrupts;
import sluice.cli.console.Shown;
import sluice.domain.Budget;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.translate.Refused;

/// `sluice domain run`: the main class of a jar in a domain of its own. Runs in the main thread.
@Command(
    name = "run",
    description = "Runs a jar in a domain, until its main has returned and no thread is left.",
    footer = {
      "",
      "Over the budget, the next thread is refused; over cpu and alloc, the domain's threads wait.",
      "A domain is no protection against hostile code: see docs/domains.md."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:main returned",
      "1:main threw an exception, or a class was refused",
      "2:wrong usage, or a jar that cannot be read",
      "130:ended by Ctrl-C; 128 and the number for other signals"
    },
    mixinStandardHelpOptions = true)
final class DomainRunCommand implements Callable<Integer> {
  private static final Duration END = Duration.ofSeconds(2);
  private static final int LOOK_MILLIS = 20;

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "JAR", description = "What to run.")
  Path jar = Path.of("");

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "ARG",
      description = "Given to main; after --, also those that begin with -.")
  List<String> arguments = List.of();

  @Option(
      names = "--main",
      paramLabel = "CLASS",
      description = "Instead of the class that the jar's manifest names.")
  @Nullable String main;

  @Option(
      names = "--budget",
      paramLabel = "LIST",
      description = "Such as cpu=20%%,alloc=50MB/s,threads=8; without it 256 threads.")
  @Nullable String budget;

  @Override
  public Integer call() throws InterruptedException {
    try (Interrupts interrupts = new Interrupts();
        Domain domain = Domain.create(config())) {
      String name = main == null ? domain.mainClass() : main;
      if (name == null) {
        throw wrong(jar + " names no Main-Class in its manifest. Fix: give --main CLASS", null);
      }
      domain.run(name, arguments.toArray(new String[0]));
      return await(domain, interrupts);
    } catch (Refused e) {
      tell(String.valueOf(e.getMessage()));
      return 1;
    } catch (ClassNotFoundException e) {
      throw wrong(jar + " has no class " + e.getMessage() + ". Fix: another --main CLASS", e);
    } catch (NoSuchMethodException e) {
      throw wrong("no public static void main(String[]): " + e.getMessage(), e);
    } catch (IOException | IllegalArgumentException e) {
      throw wrong(Failure.text(e), e);
    }
  }

  private DomainConfig config() {
    String name = String.valueOf(jar.getFileName()).replaceAll("[^A-Za-z0-9._-]", "_");
    return DomainConfig.of(name.substring(0, Math.min(64, name.length())), jar)
        .withBudget(budget == null ? Budget.DEFAULT : Budget.parse(budget))
        .withStreams(new DomainConfig.Streams(System.in, System.out, System.err));
  }

  private int await(Domain domain, Interrupts interrupts) throws InterruptedException {
    try {
      while (domain.stat().threads() > 0) {
        interrupts.check();
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (Interrupts.Ended e) {
      domain.kill(String.valueOf(e.getMessage()));
      boolean isGone = domain.awaitEnd(END);
      tell(
          "domain "
              + domain.name()
              + " was "
              + e.getMessage()
              + (isGone ? "" : "; threads that wait in the JDK end with this process"));
      return e.exitCode();
    }
    Throwable problem = domain.problem();
    tell(
        "domain "
            + domain.name()
            + " ended: main "
            + (problem == null ? "returned" : "threw " + problem));
    return problem == null ? 0 : 1;
  }

  private void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("sluice: " + Shown.line(line));
    err.flush();
  }

  private ParameterException wrong(String message, @Nullable Throwable cause) {
    return new ParameterException(spec.commandLine(), Shown.message(message), cause);
  }
}
