package sluice.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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
import sluice.verify.Bound;
import sluice.verify.ClassFiles;
import sluice.verify.Component;
import sluice.verify.CostTable;
import sluice.verify.Limits;
import sluice.verify.MethodVerdict;
import sluice.verify.Refusal;
import sluice.verify.Verification;
import sluice.verify.Verifier;

/// Implements the command `sluice verify`, which prints the bound of each method or the reason for
/// its refusal. It runs in the main thread.
@Command(
    name = "verify",
    description = {
      "Says for each method the most it does in one call, or why it is refused.",
      "All classes that are named together are one component: nothing outside extends them."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:every method is accepted",
      "1:a method is refused",
      "2:wrong usage, or input that cannot be read"
    },
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "CLASS|JAR|DIR", arity = "1..*", description = "What to verify.")
  List<Path> inputs = List.of();

  @Option(names = "--json", description = "One JSON array, an object per method.")
  boolean json;

  @Option(names = "--summary", description = "How many, and why refused, instead of each method.")
  boolean summary;

  @Option(
      names = "--max-length",
      paramLabel = "N",
      defaultValue = "4096",
      description = "Most elements of an array or string that is given (${DEFAULT-VALUE}).")
  int maxLength;

  @Option(
      names = "--max-bytecodes",
      paramLabel = "N",
      defaultValue = "1000000000",
      description = "A larger bound is refused (${DEFAULT-VALUE}).")
  long maxBytecodes;

  @Option(
      names = "--costs",
      paramLabel = "FILE",
      description = "More lines for the table of costs (see docs/verify.md).")
  Path costs = Path.of("");

  @Override
  public Integer call() {
    Component component = new Component();
    CostTable table;
    Limits limits;
    try {
      limits = new Limits(maxLength, maxBytecodes);
      table = CostTable.standard();
      if (!costs.toString().isEmpty()) {
        table = table.with(costs.toString(), Files.readString(costs));
      }
      for (Path input : inputs) {
        ClassFiles.read(input, component::add);
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), FailureMessage.text(e), e);
    }
    PrintWriter err = spec.commandLine().getErr();
    component.unreadable().forEach(line -> err.println("sluice: " + TerminalText.line(line)));
    if (component.size() == 0) {
      throw new ParameterException(
          spec.commandLine(), "no class to verify. Fix: name class files, jars or directories");
    }
    Verification found = Verifier.verify(component, table, limits);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(found.verdicts().stream().map(VerifyCommand::asJson).toList()));
    } else if (summary) {
      new VerifySummary(found.verdicts()).print(out);
    } else {
      found.verdicts().forEach(verdict -> print(verdict, out));
    }
    out.flush();
    if (!component.unreadable().isEmpty()) {
      return 2;
    }
    return found.isAccepted() ? 0 : 1;
  }

  private static void print(MethodVerdict verdict, PrintWriter out) {
    String name = TerminalText.line(verdict.className() + "." + verdict.method());
    Bound bound = verdict.bound();
    Refusal refusal = verdict.refusal();
    if (bound != null) {
      out.println(
          "accepted "
              + name
              + ": at most "
              + bound.bytecodes()
              + " bytecodes, "
              + bound.bytes()
              + " bytes");
    } else if (refusal != null) {
      out.println(
          "refused  "
              + name
              + ", line "
              + refusal.line()
              + ": "
              + refusal.reason().label()
              + ": "
              + TerminalText.line(refusal.why())
              + ". Fix: "
              + refusal.fix()
              + ". See "
              + refusal.reason().link());
    }
  }

  private static Map<String, Object> asJson(MethodVerdict verdict) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("class", verdict.className());
    object.put("method", verdict.method());
    Bound bound = verdict.bound();
    Refusal refusal = verdict.refusal();
    object.put("verdict", bound != null ? "accepted" : "refused");
    object.put("line", refusal == null ? verdict.line() : refusal.line());
    if (bound != null) {
      object.put("bytecodes", bound.bytecodes());
      object.put("bytes", bound.bytes());
    }
    if (refusal != null) {
      object.put("reason", refusal.reason().label());
      object.put("why", refusal.why());
      object.put("fix", refusal.fix());
      object.put("link", refusal.reason().link());
    }
    return object;
  }
}
