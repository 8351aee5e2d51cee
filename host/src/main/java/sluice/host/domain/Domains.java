package sluice.host.domain;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainEnded;
import sluice.domain.component.Component;
import sluice.domain.component.ComponentGraph;
import sluice.domain.component.ComponentHost;
import sluice.domain.component.ComponentRefused;
import sluice.domain.component.Placement;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlSocket;
import sluice.host.life.AbsentModules;
import sluice.host.life.Part;
import sluice.loop.counters.Counters;
import sluice.sys.threads.Uninterrupted;
import sluice.sys.threads.VirtualThreads;

/// The running domains of a configuration file, which are either programs with a main class or
/// components. This class is thread-safe.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | running, failed, problem | the thread that waits, or that drains | under the monitor | under the monitor |
/// | closed | the thread that closes | volatile | volatile |
public final class Domains implements Part {
  /// The prefix of the reason that is reported for a domain that was killed from outside.
  private static final String KILLED = "it was killed";

  /// The name of the request that is sent by `sluice domain replace`.
  public static final String REPLACE = "replace";

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final Duration END = Duration.ofSeconds(2);

  private final Consumer<String> tell;
  private final List<String> names;
  private final List<Domain> domains = new ArrayList<>();
  private final List<Domain> running = new ArrayList<>();
  private @Nullable ComponentHost components;
  private @Nullable Thread watching;
  private boolean isRunning;
  private boolean failed;
  private String problem = "";
  private volatile boolean closed;

  private Domains(List<String> names, Consumer<String> tell) {
    this.names = names;
    this.tell = tell;
  }

  /// Starts the domains.
  ///
  /// @param tell a consumer that receives one line for each component that is started and each
  ///   domain that terminates
  /// @throws ComponentRefused if the components are not compatible with each other, or if a
  ///   component is refused
  /// @throws IOException if a jar cannot be read
  /// @throws IllegalArgumentException if a program has no main class, with a message for the user
  public static Domains start(DomainFile.Content content, Consumer<String> tell)
      throws IOException, ComponentRefused {
    List<String> names = content.domains().stream().map(each -> each.config().name()).toList();
    Domains started = new Domains(names, tell);
    if (!VirtualThreads.isAvailable()) {
      tell.accept(
          "threads of domains are platform threads: a call between two domains wakes two threads"
              + " (some 10 µs instead of 1), what threads use is sampled, and virtual threads are"
              + " refused. Why: this JVM does not let a scheduler be given. Fix: start Java with "
              + VirtualThreads.OPTION
              + ", as ./sluice does");
    }
    try {
      if (content.components().isEmpty()) {
        started.programs(content.domains());
      } else {
        started.components(content);
      }
      return started;
    } catch (IOException | ComponentRefused | RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  private void programs(List<DomainFile.Entry> entries) throws IOException {
    for (DomainFile.Entry entry : entries) {
      domains.add(Domain.create(entry.config()));
    }
    running.addAll(domains);
    for (int i = 0; i < entries.size(); i++) {
      program(domains.get(i), entries.get(i));
    }
  }

  private static void program(Domain domain, DomainFile.Entry entry) throws IOException {
    Object first = entry.config().classPath().getFirst();
    String name = entry.main() == null ? domain.mainClass() : entry.main();
    if (name == null) {
      throw new IllegalArgumentException(
          first + " names no Main-Class in its manifest. Fix: name one (--main)");
    }
    try {
      domain.run(name, entry.arguments().toArray(new String[0]));
    } catch (DomainEnded e) {
      // The failure of the scheduler is reported as the reason why the domain terminated.
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          first + " has no class " + e.getMessage() + ". Fix: another main class", e);
    } catch (NoSuchMethodException e) {
      throw new IllegalArgumentException(
          "no public static void main(String[]): " + e.getMessage(), e);
    }
  }

  private void components(DomainFile.Content content) throws IOException, ComponentRefused {
    ComponentGraph graph = ComponentGraph.of(content.components());
    List<Placement> placements = content.placements();
    ComponentHost host = ComponentHost.start(graph, placements, LIMIT);
    components = host;
    for (DomainFile.Entry entry : content.domains()) {
      for (String name : entry.components()) {
        tell.accept(line(graph, entry, graph.component(name)));
      }
    }
    isRunning = host.isRunning();
  }

  private static String line(ComponentGraph graph, DomainFile.Entry entry, Component component) {
    StringBuilder line =
        new StringBuilder(
            "component " + component.name() + " runs in domain " + entry.config().name());
    for (String needed : component.needs()) {
      String provider = graph.provider(needed).name();
      line.append(entry.components().contains(provider) ? "; holds " : "; has a portal to ")
          .append(needed)
          .append(" of component ")
          .append(provider);
    }
    return line.toString();
  }

  @Override
  public String name() {
    return "domains";
  }

  @Override
  public String describe() {
    return (names.size() == 1 ? "domain " : "domains ") + String.join(", ", names);
  }

  @Override
  public Map<String, ControlSocket.Action> publishTo(Counters counters, String prefix) {
    DomainCounters shown = new DomainCounters(counters);
    Map<String, ControlSocket.Action> actions = new TreeMap<>();
    ComponentHost host = components;
    if (host == null) {
      domains.forEach(shown::add);
    } else {
      host.domains().forEach(name -> shown.add(name, () -> host.domain(name)));
      actions.put(REPLACE, domain -> replace(host, domain));
    }
    actions.put(DomainCounters.KILL, shown::kill);
    watching = shown.watch("sluice-domains", () -> closed, tell);
    return actions;
  }

  private ControlAnswer replace(ComponentHost host, String domain) {
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

  /// Waits until all main methods have returned or all components have terminated. If no component
  /// is running, the components are considered terminated only after a drain.
  ///
  /// @return false if a domain was killed or its main method threw an exception
  @Override
  public boolean awaitEnd() {
    while (!closed && look()) {
      Uninterrupted.sleep(LOOK);
    }
    synchronized (this) {
      return !failed;
    }
  }

  /// Checks which domains are still running.
  ///
  /// @return false if no domain is running any longer
  private synchronized boolean look() {
    ComponentHost host = components;
    if (host == null) {
      for (Domain domain : List.copyOf(running)) {
        if (domain.stat().threads() == 0) {
          running.remove(domain);
          failed |= !ended(domain);
        }
      }
      return !running.isEmpty();
    }
    if (!isRunning || host.isRunning()) {
      return true;
    }
    String found = host.problem();
    tell.accept(found == null ? "the components have ended" : found);
    failed = found != null;
    problem = found == null ? "" : found;
    return false;
  }

  /// Logs that a domain has terminated because it has no threads left.
  ///
  /// @return true if its main method returned normally
  private boolean ended(Domain domain) {
    Throwable thrown = domain.problem();
    if (!domain.alive()) {
      String why = domain.endReason();
      String how = why.startsWith(KILLED) ? why.substring(2) : " has ended: " + why;
      return !fails("domain " + domain.name() + how);
    }
    String how = "domain " + domain.name() + " ended: main ";
    if (thrown == null) {
      tell.accept(how + "returned");
    } else {
      boolean _ = fails(how + "threw " + domain.problemText());
    }
    String absent = AbsentModules.why(thrown);
    if (absent != null) {
      tell.accept("domain " + domain.name() + ": " + absent + ". Fix: " + AbsentModules.FIX);
    }
    domain.close();
    return thrown == null;
  }

  private synchronized boolean fails(String why) {
    tell.accept(why);
    problem = why;
    return true;
  }

  @Override
  public synchronized String problem() {
    return problem;
  }

  @Override
  public void drain(String why, Duration atMost, Consumer<String> told) {
    List<Domain> left;
    synchronized (this) {
      left = List.copyOf(running);
      running.clear();
      closed = true;
    }
    if (components != null) {
      told.accept("the components were " + why);
    }
    left.forEach(domain -> domain.kill(why));
    for (Domain domain : left) {
      boolean isGone = Uninterrupted.await(END, nanos -> domain.awaitEnd(Duration.ofNanos(nanos)));
      told.accept(
          "domain "
              + domain.name()
              + " was "
              + why
              + (isGone ? "" : "; threads that wait in the JDK end with this process"));
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    Thread thread = watching;
    if (thread != null) {
      Uninterrupted.await(thread::join);
    }
    if (components != null) {
      components.close();
    }
    domains.forEach(Domain::close);
  }
}
