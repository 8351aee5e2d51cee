package sluice.cli.domain;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
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
import sluice.domain.component.ClosureSizes;
import sluice.domain.component.Component;
import sluice.domain.component.ComponentGraph;
import sluice.domain.component.ComponentRefused;
import sluice.domain.component.Dependence;
import sluice.domain.component.Provided;
import sluice.domain.component.Reliance;
import sluice.host.domain.DomainFile;
import sluice.host.file.UsageException;
import sluice.host.text.FailureMessage;
import sluice.host.text.TerminalText;

/// Implements the command `sluice domain components`. It checks that the components of a
/// configuration file are compatible with each other, and prints their dependencies and the number
/// of classes that each component requires. It runs in the main thread.
@Command(
    name = "components",
    description = "Checks the components of a file, and tells what each leans on.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:they fit together",
      "1:they do not: a circle, a use that is not declared, a need without a provider",
      "2:wrong usage, or a file that cannot be read"
    },
    mixinStandardHelpOptions = true)
final class DomainComponentsCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "CONFIG.toml", description = "A file with [component.NAME].")
  Path file = Path.of("");

  @Option(names = "--json", description = "One JSON array, an object per component.")
  boolean json;

  @Override
  public Integer call() {
    ComponentGraph graph;
    try {
      List<Component> components = DomainFile.read(file).components();
      if (components.isEmpty()) {
        throw new IllegalArgumentException(file + " has no component. Fix: add [component.NAME]");
      }
      graph = ComponentGraph.of(components);
    } catch (ComponentRefused e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("sluice: " + TerminalText.message(String.valueOf(e.getMessage())));
      err.flush();
      return 1;
    } catch (UsageException | IOException | IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), TerminalText.message(FailureMessage.text(e)), e);
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(graph.order().stream().map(each -> asJson(graph, each)).toList()));
    } else {
      graph.order().forEach(each -> print(graph, each, out));
    }
    out.flush();
    return 0;
  }

  private static void print(ComponentGraph graph, Component component, PrintWriter out) {
    ClosureSizes sizes = graph.sizes(component.name());
    out.println(
        TerminalText.line(component.name())
            + ": "
            + sizes.own()
            + " classes; closure of the interface "
            + sizes.inInterface()
            + " and "
            + sizes.jdkInInterface()
            + " of the JDK; closure of the code "
            + sizes.inAll()
            + " and "
            + sizes.jdkInAll()
            + " of the JDK");
    for (Dependence each : graph.dependences(component.name())) {
      out.println(
          "  "
              + (each.classes() == 0
                  ? "declares and does not use "
                  : each.isInInterface() ? "its interface uses " : "its code uses ")
              + TerminalText.line(each.on())
              + (each.classes() == 0
                  ? ""
                  : ": " + each.classes() + " classes, as " + TerminalText.line(each.example())));
    }
    for (String needed : component.needs()) {
      out.println("  needs " + needed + " of " + TerminalText.line(graph.provider(needed).name()));
    }
    for (Reliance each : graph.lint(component.name())) {
      out.println("  lint: " + TerminalText.line(each.toString()));
    }
    Provided provides = component.provides();
    if (provides != null) {
      String calls = provides.calls() == 1 ? "" : ", " + provides.calls() + " calls at once";
      out.println(
          "  provides " + provides.type() + ", path " + DomainFile.path(provides.path()) + calls);
    }
  }

  private static Map<String, Object> asJson(ComponentGraph graph, Component component) {
    Map<String, Object> object = new LinkedHashMap<>();
    ClosureSizes sizes = graph.sizes(component.name());
    object.put("component", component.name());
    object.put("classes", sizes.own());
    object.put("interface_closure", sizes.inInterface());
    object.put("interface_closure_jdk", sizes.jdkInInterface());
    object.put("code_closure", sizes.inAll());
    object.put("code_closure_jdk", sizes.jdkInAll());
    List<Object> uses = new ArrayList<>();
    for (Dependence each : graph.dependences(component.name())) {
      Map<String, Object> use = new LinkedHashMap<>();
      use.put("component", each.on());
      use.put("in_interface", each.isInInterface());
      use.put("classes", each.classes());
      uses.add(use);
    }
    object.put("uses", uses);
    object.put("lint", graph.lint(component.name()).stream().map(Reliance::toString).toList());
    object.put("needs", component.needs());
    Provided provides = component.provides();
    object.put("provides", provides == null ? "" : provides.type());
    object.put("path", provides == null ? "" : DomainFile.path(provides.path()));
    object.put("calls", provides == null ? 0 : provides.calls());
    return object;
  }
}
