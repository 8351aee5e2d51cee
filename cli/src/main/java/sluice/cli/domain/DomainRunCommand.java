package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.AbsentModules;
import sluice.cli.console.FailureMessage;
import sluice.cli.console.Interrupts;
import sluice.cli.console.TerminalText;
import sluice.cli.control.ControlSocket;
import sluice.domain.Budget;
import sluice.domain.Domain;
import sluice.domain.DomainConfig;
import sluice.domain.component.ComponentRefused;
import sluice.domain.translate.Refused;
import sluice.loop.counters.Counters;
import sluice.sys.threads.Uninterrupted;

/// `sluice domain run`: the main class of a jar, or those of a configuration file, each in a domain
/// of its own. Runs in the main thread.
@Command(
    name = "run",
    description =
        "Runs a jar in a domain, or the domains of a file, until no thread of them is left.",
    footer = {
      "",
      "A file has for each domain [domain.NAME] with jars = [\"app.jar\"] and, if needed, main,",
      "args, budget = { cpu = \"20%%\", alloc = \"50MB/s\", threads = 8 } and properties.",
      "Or it has [component.NAME] and domains with components = [\"NAME\"]: see docs/domains.md.",
      "Over the budget, the next thread is refused; over cpu and alloc, the domain's threads wait.",
      "A domain is no protection against hostile code: see docs/domains.md."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:main returned",
      "1:main threw an exception, a class was refused, or a domain was killed",
      "2:wrong usage, or a jar or configuration that cannot be read",
      "130:ended by Ctrl-C; 128 and the number for other signals"
    },
    mixinStandardHelpOptions = true)
final class DomainRunCommand implements Callable<Integer> {
  private static final Duration END = Duration.ofSeconds(2);
  private static final Duration LOOK = Duration.ofMillis(20);

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      index = "0",
      paramLabel = "JAR|CONFIG.toml",
      description = "What to run: a jar, or several domains.")
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
  public Integer call() {
    List<Domain> domains = new ArrayList<>();
    try (Interrupts interrupts = new Interrupts();
        Counters file = Counters.open(0)) {
      DomainCounters counters = new DomainCounters(file);
      file.describe("domain run " + jar);
      DomainFile.Content content = content();
      if (!content.components().isEmpty()) {
        return ComponentRun.run(content, interrupts, file.file(), counters, this::tell);
      }
      List<DomainFile.Entry> entries = content.domains();
      for (DomainFile.Entry entry : entries) {
        Domain domain = Domain.create(entry.config());
        domains.add(domain);
        counters.add(domain);
      }
      for (int i = 0; i < entries.size(); i++) {
        start(domains.get(i), entries.get(i));
      }
      try (ControlSocket _ =
          ControlSocket.open(
              file.file(), Map.of(DomainCounters.KILL, counters::kill), this::tell)) {
        return await(domains, interrupts, counters);
      }
    } catch (Refused | ComponentRefused e) {
      tell(String.valueOf(e.getMessage()));
      return 1;
    } catch (IOException | IllegalArgumentException e) {
      throw wrong(FailureMessage.text(e), e);
    } finally {
      domains.forEach(Domain::close);
    }
  }

  private DomainFile.Content content() throws IOException {
    if (!jar.toString().endsWith(".toml")) {
      DomainFile.Entry entry = new DomainFile.Entry(config(), main, arguments, List.of());
      return new DomainFile.Content(List.of(entry), List.of());
    }
    if (main != null || budget != null || !arguments.isEmpty()) {
      throw new IllegalArgumentException(
          jar + " says what runs. Fix: write main, args and budget into it");
    }
    return DomainFile.read(jar);
  }

  private void start(Domain domain, DomainFile.Entry entry) throws IOException {
    Path first = entry.config().classPath().getFirst();
    String name = entry.main() == null ? domain.mainClass() : entry.main();
    if (name == null) {
      throw wrong(first + " names no Main-Class in its manifest. Fix: name one (--main)", null);
    }
    try {
      domain.run(name, entry.arguments().toArray(new String[0]));
    } catch (ClassNotFoundException e) {
      throw wrong(first + " has no class " + e.getMessage() + ". Fix: another main class", e);
    } catch (NoSuchMethodException e) {
      throw wrong("no public static void main(String[]): " + e.getMessage(), e);
    }
  }

  private DomainConfig config() {
    String name = String.valueOf(jar.getFileName()).replaceAll("[^A-Za-z0-9._-]", "_");
    return DomainConfig.of(name.substring(0, Math.min(64, name.length())), jar)
        .withBudget(budget == null ? Budget.DEFAULT : Budget.parse(budget))
        .withStreams(new DomainConfig.Streams(System.in, System.out, System.err))
        .withCache(ClassDirectory.find());
  }

  private int await(List<Domain> domains, Interrupts interrupts, DomainCounters counters) {
    List<Domain> running = new ArrayList<>(domains);
    int code = 0;
    try {
      while (!running.isEmpty()) {
        interrupts.check();
        counters.tick();
        for (Domain domain : List.copyOf(running)) {
          if (domain.stat().threads() == 0) {
            running.remove(domain);
            code = Math.max(code, ended(domain));
          }
        }
        if (!running.isEmpty()) {
          Uninterrupted.sleep(LOOK);
        }
      }
    } catch (Interrupts.Ended e) {
      String why = String.valueOf(e.getMessage());
      running.forEach(domain -> domain.kill(why));
      for (Domain domain : running) {
        boolean isGone =
            Uninterrupted.await(END, nanos -> domain.awaitEnd(Duration.ofNanos(nanos)));
        tell(
            "domain "
                + domain.name()
                + " was "
                + why
                + (isGone ? "" : "; threads that wait in the JDK end with this process"));
      }
      return e.exitCode();
    }
    return code;
  }

  /// Tells how a domain ended of which no thread is left.
  ///
  /// @return 0 if its main returned, else 1
  private int ended(Domain domain) {
    Throwable problem = domain.problem();
    if (!domain.alive()) {
      tell("domain " + domain.name() + " was killed");
      return 1;
    }
    tell(
        "domain "
            + domain.name()
            + " ended: main "
            + (problem == null ? "returned" : "threw " + domain.problemText()));
    String absent = AbsentModules.why(problem);
    if (absent != null) {
      tell("domain " + domain.name() + ": " + absent + ". Fix: " + AbsentModules.FIX);
    }
    domain.close();
    return problem == null ? 0 : 1;
  }

  private void tell(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("sluice: " + TerminalText.line(line));
    err.flush();
  }

  private ParameterException wrong(String message, @Nullable Throwable cause) {
    return new ParameterException(spec.commandLine(), TerminalText.message(message), cause);
  }
}
