package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.domain.Budget;
import sluice.domain.DomainConfig;
import sluice.domain.component.ComponentRefused;
import sluice.domain.translate.Refused;
import sluice.host.Host;
import sluice.host.domain.ClassDirectory;
import sluice.host.domain.DomainFile;
import sluice.host.domain.Domains;
import sluice.host.file.UsageException;
import sluice.host.text.FailureMessage;
import sluice.host.text.TerminalText;

/// Implements the command `sluice domain run`, which runs either the main class of a jar or the
/// domains of a configuration file, each in its own domain. It runs in the main thread.
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
    try (Host host = new Host(List.of(), this::tell)) {
      DomainFile.Content content = content();
      host.listenToSignals(Host.Hangup.ENDS);
      host.add(Domains.start(content, this::tell));
      host.publish("domain run " + jar);
      boolean good = host.awaitEnd();
      return host.signal() > 0 ? 128 + host.signal() : good ? 0 : 1;
    } catch (Refused | ComponentRefused e) {
      tell(String.valueOf(e.getMessage()));
      return 1;
    } catch (UsageException | IOException | IllegalArgumentException e) {
      throw wrong(FailureMessage.text(e), e);
    }
  }

  private DomainFile.Content content() throws UsageException {
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

  private DomainConfig config() {
    String name = String.valueOf(jar.getFileName()).replaceAll("[^A-Za-z0-9._-]", "_");
    return DomainConfig.of(name.substring(0, Math.min(64, name.length())), jar)
        .withBudget(budget == null ? Budget.DEFAULT : Budget.parse(budget))
        .withStreams(new DomainConfig.Streams(System.in, System.out, System.err))
        .withCache(ClassDirectory.find());
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
