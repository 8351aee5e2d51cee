package sluice.host.domain;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.domain.component.Component;
import sluice.domain.component.ComponentGraph;
import sluice.domain.component.ComponentHost;
import sluice.domain.component.ComponentRefused;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlSocket;
import sluice.host.life.Interrupts;
import sluice.sys.threads.Uninterrupted;

/// Runs the components of a configuration file until no thread of those that run is left, or, if
/// none runs, until a signal. Used by the main thread.
public final class ComponentRun {
  /// The request of `sluice domain replace`.
  public static final String REPLACE = "replace";

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofMillis(20);

  private ComponentRun() {}

  /// @param countersFile of this process, or null
  /// @return the exit code
  public static int run(
      DomainFile.Content content,
      Interrupts interrupts,
      @Nullable Path countersFile,
      DomainCounters counters,
      Consumer<String> tell)
      throws IOException, ComponentRefused {
    ComponentGraph graph = ComponentGraph.of(content.components());
    try (ComponentHost host = ComponentHost.start(graph, content.placements(), LIMIT);
        ControlSocket _ =
            ControlSocket.open(
                countersFile,
                Map.of(
                    DomainCounters.KILL,
                    counters::kill,
                    REPLACE,
                    domain -> replace(host, domain, tell)),
                tell)) {
      for (String domain : host.domains()) {
        counters.add(domain, () -> host.domain(domain));
      }
      report(content, graph, tell);
      boolean runs = host.isRunning();
      while (!runs || host.isRunning()) {
        interrupts.check();
        counters.tick();
        Uninterrupted.sleep(LOOK);
      }
      String problem = host.problem();
      tell.accept(problem == null ? "the components have ended" : problem);
      return problem == null ? 0 : 1;
    } catch (Interrupts.Ended e) {
      tell.accept("the components were " + e.getMessage());
      return e.exitCode();
    }
  }

  private static void report(
      DomainFile.Content content, ComponentGraph graph, Consumer<String> tell) {
    for (DomainFile.Entry entry : content.domains()) {
      for (String name : entry.components()) {
        Component component = graph.component(name);
        StringBuilder line =
            new StringBuilder("component " + name + " runs in domain " + entry.config().name());
        for (String needed : component.needs()) {
          String provider = graph.provider(needed).name();
          line.append(entry.components().contains(provider) ? "; holds " : "; has a portal to ")
              .append(needed)
              .append(" of component ")
              .append(provider);
        }
        tell.accept(line.toString());
      }
    }
  }

  private static ControlAnswer replace(ComponentHost host, String domain, Consumer<String> tell) {
    ControlAnswer answer;
    try {
      boolean isIdle = host.replace(domain);
      answer =
          ControlAnswer.done(
              "was replaced"
                  + (isIdle ? "" : "; calls that did not end within " + LIMIT + " ended with it"));
    } catch (ComponentRefused | IOException | RuntimeException e) {
      answer = ControlAnswer.refused("stays as it was: " + e.getMessage());
    }
    tell.accept("domain " + domain + " " + String.join("; ", answer.lines()));
    return answer;
  }
}
