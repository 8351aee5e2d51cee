package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sluice.cli.console.Json;
import sluice.host.text.FailureMessage;
import sluice.host.text.TerminalText;
import sluice.verify.ClassFiles;
import sluice.verify.check.DomainCheck;
import sluice.verify.check.Finding;
import sluice.verify.check.RuleTable;
import sluice.verify.check.Treatment;

/// Implements the command `sluice domain check`, which prints the uses in a jar that a domain
/// refuses, redirects or cannot enforce. It runs in the main thread.
@Command(
    name = "check",
    description = "Names what a jar uses that a domain refuses, redirects or cannot enforce.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:a domain refuses nothing of it",
      "1:a domain refuses calls or classes of it",
      "2:wrong usage, or input that cannot be read"
    },
    mixinStandardHelpOptions = true)
final class DomainCheckCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "JAR|DIR|CLASS", arity = "1..*", description = "What to look at.")
  List<Path> inputs = List.of();

  @Option(names = "--json", description = "One JSON array, an object per finding.")
  boolean json;

  @Override
  public Integer call() {
    DomainCheck check = new DomainCheck(RuleTable.standard());
    int classes = 0;
    try {
      for (Path input : inputs) {
        classes += ClassFiles.read(input, check::add);
      }
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), FailureMessage.text(e), e);
    }
    if (classes == 0) {
      throw new ParameterException(
          spec.commandLine(), "no class to look at. Fix: name jars, directories or class files");
    }
    List<Finding> findings = check.run();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    check.unreadable().forEach(line -> err.println("sluice: " + TerminalText.line(line)));
    if (json) {
      out.println(Json.of(findings.stream().map(DomainCheckCommand::asJson).toList()));
    } else {
      print(findings, classes, out);
    }
    out.flush();
    if (!check.unreadable().isEmpty()) {
      return 2;
    }
    return findings.stream().anyMatch(f -> f.rule().treatment() == Treatment.REFUSED) ? 1 : 0;
  }

  private static void print(List<Finding> findings, int classes, PrintWriter out) {
    Map<Treatment, Integer> counts = new EnumMap<>(Treatment.class);
    int calls = 0;
    for (Finding finding : findings) {
      Treatment treatment = finding.rule().treatment();
      counts.merge(treatment, 1, Integer::sum);
      calls += finding.throwsAtCall() ? 1 : 0;
      out.println(
          String.format("%-12s ", treatment.label())
              + TerminalText.line(
                  finding.use() + " in " + finding.className() + "." + finding.member())
              + ", line "
              + finding.line()
              + ": "
              + told(finding)
              + finding.rule().why()
              + ". Fix: "
              + finding.rule().fix());
    }
    StringBuilder sum = new StringBuilder(classes + " classes");
    for (Treatment treatment : Treatment.values()) {
      sum.append(", ").append(counts.getOrDefault(treatment, 0)).append(' ');
      sum.append(treatment.label());
      if (treatment == Treatment.REFUSED && calls > 0) {
        sum.append(" (").append(calls).append(" when called)");
      }
    }
    out.println(sum);
  }

  /// Returns a description of the time at which the use is refused.
  private static String told(Finding finding) {
    if (finding.refusesClass()) {
      return "the class is not loaded, ";
    }
    return finding.throwsAtCall() ? "throws when called, " : "";
  }

  private static Map<String, Object> asJson(Finding finding) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("class", finding.className());
    object.put("method", finding.member());
    object.put("line", finding.line());
    object.put("use", finding.use());
    object.put("treatment", finding.rule().treatment().label());
    if (finding.rule().treatment() == Treatment.REFUSED) {
      object.put("when", finding.throwsAtCall() ? "call" : "load");
    }
    object.put("why", finding.rule().why());
    object.put("fix", finding.rule().fix());
    return object;
  }
}
