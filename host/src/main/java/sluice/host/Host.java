package sluice.host;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.domain.component.ComponentRefused;
import sluice.host.control.ControlAnswer;
import sluice.host.control.ControlSocket;
import sluice.host.file.UsageException;
import sluice.host.life.Part;
import sluice.host.life.PartHealth;
import sluice.host.life.ServiceManager;
import sluice.host.life.Signals;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.Counters;
import sluice.sys.threads.Uninterrupted;

/// Manages the parts that run in this process and are stopped together. It implements the lifecycle
/// of `sluice serve`, `sluice nfs` and `sluice up`. This class is thread-safe, and signals and
/// requests invoke it on their own threads.
///
/// | signal | effect |
/// |---|---|
/// | TERM | graceful drain of all parts, in reverse order; a second signal aborts mounts |
/// | INT | the same; a second signal terminates a process without mounts, with exit code 130 |
/// | HUP, and `sluice reload` | all parts that support it are reloaded |
///
/// ```java
/// SiteServer site = SiteServer.start(SiteOptions.read(Path.of("site.toml")), System.err::println);
/// try (Host host = new Host(List.of(site), System.err::println)) {
///   host.listenToSignals(Host.Hangup.RELOADS);
///   host.publish(site.describe());
///   host.awaitEnd();
/// }
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ending | the first drain | volatile | under the monitor of `adding` |
/// | parts | any thread | volatile | under the monitor of `adding` |
/// | signal, why | the first drain | volatile | under the monitor of `adding` |
/// | failed | threads that wait for parts | volatile | volatile |
/// | past | threads that start parts or wait for them | concurrent map | concurrent map |
/// | drainTimeout | the creator, before publishing | volatile | volatile |
/// | counters, control | the thread that publishes | under the monitor | under the monitor |
public final class Host implements AutoCloseable {
  /// The name of the request that is sent by `sluice reload`.
  public static final String RELOAD = "reload";

  /// The effect of the signal SIGHUP.
  public enum Hangup {
    /// All parts are reloaded.
    RELOADS,
    /// All parts are stopped, because their terminal has been closed.
    ENDS
  }

  private static final Duration DRAIN = Duration.ofSeconds(10);

  /// The time after which a thread of a part is considered stuck if it does not respond.
  private static final Duration STUCK_AFTER = Duration.ofSeconds(2);

  private final List<Part> parts;
  private final ServiceManager manager;
  private final Consumer<String> messages;
  private final CountDownLatch drained = new CountDownLatch(1);
  private volatile Duration drainTimeout = DRAIN;
  private volatile boolean ending;
  private volatile boolean failed;
  private volatile int signal;
  private volatile String why = "ended by its host";
  private final Object adding = new Object();

  /// The health of the parts that are not running yet or are no longer running, keyed by name.
  private final Map<String, PartHealth> past = new ConcurrentSkipListMap<>();

  private @Nullable Counters counters;
  private @Nullable ControlSocket control;

  /// Creates a host that manages the given running parts and stops them when it is closed.
  ///
  /// @param parts the parts in the order in which they were started
  /// @param messages a consumer that receives one line per event and may be invoked by any thread
  public Host(List<Part> parts, Consumer<String> messages) {
    this(parts, ServiceManager.ofProcess(messages), messages);
  }

  /// Creates a host with the given running parts and with the service manager that passed their
  /// sockets to this process.
  public Host(List<Part> parts, ServiceManager manager, Consumer<String> messages) {
    this.parts = new CopyOnWriteArrayList<>(parts);
    this.manager = manager;
    this.messages = messages;
    parts.forEach(this::showHealth);
  }

  /// Configures a site so that its `/healthz` reports the health of all parts.
  private void showHealth(Part part) {
    if (part instanceof SiteServer site) {
      site.http().answerHealthBy(() -> troubles(site));
    }
  }

  /// Returns the problems of all parts. The problems of the requesting site are not prefixed with
  /// its name.
  private List<String> troubles(SiteServer asked) throws InterruptedException {
    List<String> troubles = new ArrayList<>();
    for (PartHealth each : health()) {
      troubles.addAll(each.part().equals(asked.name()) ? each.reasons() : each.troubles());
    }
    return troubles;
  }

  /// Starts a part.
  interface Starter {
    /// Starts the part and returns it.
    Part start() throws UsageException, IOException, ComponentRefused, InterruptedException;
  }

  /// Starts a part and adds it to this host. The health of the part is STARTING until it has been
  /// started, and FAILED if it could not be started.
  ///
  /// @param name the name of the part
  void start(String name, Starter starter)
      throws UsageException, IOException, ComponentRefused, InterruptedException {
    past.put(name, new PartHealth(name, PartHealth.State.STARTING, List.of()));
    Part part;
    try {
      part = starter.start();
    } catch (UsageException | IOException | ComponentRefused | RuntimeException e) {
      past.put(name, failed(name, String.valueOf(e.getMessage())));
      throw e;
    }
    past.remove(name);
    add(part);
  }

  private static PartHealth failed(String name, String why) {
    return new PartHealth(name, PartHealth.State.FAILED, why.isEmpty() ? List.of() : List.of(why));
  }

  /// Adds a running part. If this host is already draining, the part is drained immediately, so
  /// that a signal during the startup is not lost.
  public void add(Part part) {
    showHealth(part);
    synchronized (adding) {
      parts.add(part);
      if (!ending) {
        return;
      }
    }
    part.drain(why, Duration.ZERO, messages);
  }

  /// Sets the maximum time for draining, which is 10 seconds by default.
  public void drainWithin(Duration atMost) {
    drainTimeout = atMost;
  }

  /// Registers the signal handlers. A message is logged if SIGHUP cannot be handled, because this
  /// would otherwise not be noticed.
  public void listenToSignals(Hangup hangup) {
    Signals.handle("TERM", () -> terminate("SIGTERM", 15));
    Signals.handle("INT", this::interrupt);
    if (hangup == Hangup.ENDS) {
      Signals.handle("HUP", () -> terminate("SIGHUP", 1));
    } else if (!Signals.handle("HUP", () -> reload())) {
      messages.accept(
          "SIGHUP reads nothing again: this process was started with the signal ignored, as nohup"
              + " does, or with -Xrs. Fix: use 'sluice reload', which needs no signal");
    }
  }

  /// Publishes this host. This opens the counters for `sluice stat` and the socket for `sluice
  /// reload`, and reports the state to the service manager.
  ///
  /// @param description the description of all parts for `sluice stat`
  public synchronized void publish(String description) {
    Counters opened = Counters.open(parts.stream().mapToInt(Part::loops).sum());
    counters = opened;
    if (opened.file() == null) {
      messages.accept("sluice stat will not see this process: " + opened.whyNoFile());
    }
    opened.describe(description);
    Map<String, ControlSocket.Action> actions = new TreeMap<>();
    boolean isAlone = parts.stream().filter(part -> part.loops() > 0).count() < 2;
    for (Part part : parts) {
      part.publishTo(opened, isAlone ? "" : part.name() + "/")
          .forEach((name, action) -> actions.merge(name, action, Host::either));
    }
    actions.put(RELOAD, _ -> reload());
    control = ControlSocket.open(opened.file(), actions, messages);
    manager.ready(status());
    manager.watch(parts);
  }

  /// Combines the same action of two parts. The second action is tried if the first one does not
  /// succeed.
  private static ControlSocket.Action either(
      ControlSocket.Action first, ControlSocket.Action second) {
    return argument -> {
      ControlAnswer answer = first.run(argument);
      return answer.isDone() ? answer : second.run(argument);
    };
  }

  Consumer<String> messages() {
    return messages;
  }

  ServiceManager manager() {
    return manager;
  }

  /// Returns the parts in the order in which they were started.
  public List<Part> parts() {
    return List.copyOf(parts);
  }

  /// Returns the health of all parts that are starting, running, ended or failed. It is reported by
  /// `/healthz` of a site. This method waits up to two seconds for each part whose threads do not
  /// respond.
  public List<PartHealth> health() throws InterruptedException {
    List<PartHealth> all = new ArrayList<>();
    for (Part part : parts) {
      PartHealth known = past.get(part.name());
      PartHealth found = known == null ? part.health(STUCK_AFTER) : known;
      boolean isEnding = ending && found.state() == PartHealth.State.READY;
      all.add(
          isEnding ? new PartHealth(part.name(), PartHealth.State.DRAINING, List.of(why)) : found);
    }
    List<String> names = parts.stream().map(Part::name).toList();
    past.forEach((name, each) -> {
      if (!names.contains(name)) {
        all.add(each);
      }
    });
    return all;
  }

  /// Returns the counters of all parts in the same form as `sluice stat`, or null if [#publish] has
  /// not been called. The values may be up to a tenth of a second old.
  public synchronized @Nullable CounterSnapshot counters() {
    return counters == null ? null : counters.snapshot();
  }

  /// Returns a description of each running part.
  public List<String> describe() {
    return parts.stream().map(Part::describe).toList();
  }

  private String status() {
    return String.join("; ", describe());
  }

  /// Reloads the parts and logs the result.
  ///
  /// @return the messages about the items that were loaded and the items that were refused and
  ///   remain unchanged
  public synchronized ControlAnswer reload() {
    List<String> report = new ArrayList<>();
    Consumer<String> told =
        line ->
            line.lines()
                .forEach(each -> {
                  messages.accept(each);
                  report.add(each);
                });
    manager.reloading();
    boolean good = true;
    for (Part part : parts) {
      good &= part.reload(told);
    }
    manager.ready(status());
    return new ControlAnswer(good, report);
  }

  /// Drains the parts in the reverse order of their start. Only the first call has an effect.
  public void drain() {
    drain("its host", 0);
  }

  private void drain(String by, int number) {
    synchronized (adding) {
      if (ending) {
        return;
      }
      ending = true;
      signal = number;
      why = "ended by " + by;
    }
    if (parts.stream().anyMatch(part -> part.loops() > 0)) {
      messages.accept("draining, for at most " + drainTimeout.toSeconds() + " s");
    }
    manager.stopping("draining");
    long deadline = System.nanoTime() + drainTimeout.toNanos();
    try {
      for (Part part : parts.reversed()) {
        Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        part.drain(why, left, messages);
      }
    } finally {
      drained.countDown();
    }
  }

  private void terminate(String signal, int number) {
    if (ending) {
      boolean _ = cutOff();
    }
    drain(signal, number);
  }

  private void interrupt() {
    if (ending && !cutOff()) {
      messages.accept("interrupted again: ending at once");
      Runtime.getRuntime().halt(130);
    }
    drain("SIGINT", 2);
  }

  private boolean cutOff() {
    boolean isHandled = false;
    for (Part part : parts) {
      isHandled |= part.cutOff();
    }
    return isHandled;
  }

  /// Waits until all parts have ended. If one part fails, all other parts are stopped.
  ///
  /// @return false if a part has failed
  public boolean awaitEnd() {
    List<Thread> waiting = new ArrayList<>();
    for (Part part : parts) {
      waiting.add(Thread.ofVirtual().name("sluice-host").start(() -> await(part)));
    }
    for (Thread each : waiting) {
      Uninterrupted.await(each::join);
    }
    if (ending) {
      Uninterrupted.await(drained::await);
    }
    return !failed;
  }

  private void await(Part part) {
    String name = part.name();
    boolean isGood = part.awaitEnd();
    past.put(
        name,
        isGood
            ? new PartHealth(name, PartHealth.State.ENDED, List.of())
            : failed(name, part.problem()));
    if (!isGood && !ending) {
      failed = true;
      messages.accept(part.describe() + " has failed; see above");
      drain();
    }
  }

  /// Returns the number of the signal that stopped this host, or 0 if it was not stopped by a
  /// signal.
  public int signal() {
    return signal;
  }

  /// Stops the parts in the reverse order of their start, without draining them.
  @Override
  public synchronized void close() throws IOException {
    if (control != null) {
      control.close();
    }
    IOException problem = null;
    for (Part part : parts.reversed()) {
      try {
        part.close();
      } catch (IOException e) {
        problem = e;
      }
    }
    if (counters != null) {
      counters.close();
    }
    if (problem != null) {
      throw problem;
    }
  }
}
