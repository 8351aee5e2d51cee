package sluice.host.plugin;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.loop.counters.Counter;
import sluice.sys.threads.HostThread;
import sluice.sys.threads.Uninterrupted;

/// The versions of one plug-in of a server, of which one answers: loads it, loads it again, by an
/// operator or because a call hangs, and ends it. Any number of threads may ask for [#current];
/// [#reload], restarts and [#close] exclude each other.
///
/// ```
///  loaded ── call hangs ──► ended ── back-off ──► loaded     (restart = "always")
///    ├────── reload: another jar ───────────────► loaded
///    └────── domain kill ──► ended ── reload ───► loaded
/// ```
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | current, ending, name | holder of `this` | volatile | volatile |
/// | stopped, bornNanos, backoff, restarts, counter | holder of `this` | under the monitor | as read |
final class PluginLife implements AutoCloseable {
  private static final Duration LOOK_AFTER = Duration.ofMillis(500);

  private final PluginOption option;
  private final Path directory;
  private final Duration limit;
  private final PluginLog log;
  private final PluginBackoff backoff = new PluginBackoff();
  private volatile @Nullable PluginDomain current;
  private volatile boolean ending;
  private volatile String name = "";
  private boolean stopped;
  private long bornNanos = System.nanoTime();
  private long restarts;
  private @Nullable Counter counter;

  /// @param directory for copies of jars
  PluginLife(PluginOption option, Path directory, Duration limit, Consumer<String> lines) {
    this.option = option;
    this.directory = directory;
    this.limit = limit;
    this.log = new PluginLog(option.prefix(), lines);
  }

  /// Loads it, once, before anything else is asked of it but its prefix.
  ///
  /// @throws IOException with path, jar, class, method, why and fix
  synchronized void load() throws IOException {
    PluginDomain first = PluginDomain.load(option, freeName(), directory, limit);
    name = first.domain().name();
    current = first;
    bornNanos = System.nanoTime();
    watch(first);
  }

  /// The prefix as a name of a domain, with a number if a domain lives that has it.
  private String freeName() {
    Set<String> taken = Domain.living().stream().map(Domain::name).collect(Collectors.toSet());
    String plain = option.prefix().replaceAll("^/|/$", "").replaceAll("[^A-Za-z0-9._-]", "_");
    String base = plain.isEmpty() ? "root" : plain.substring(0, Math.min(48, plain.length()));
    String free = base;
    for (int number = 2; taken.contains(free); number++) {
      free = base + "-" + number;
    }
    return free;
  }

  /// Looks at all classes of the jar, in a thread of its own and a little later: a start does not
  /// wait for it, and its first requests do not share the processors with it.
  void look() {
    look(current());
  }

  private void look(PluginDomain loaded) {
    HostThread.daemon(
            "check-" + name,
            () -> {
              Uninterrupted.sleep(LOOK_AFTER);
              warn(loaded);
            })
        .start();
  }

  private void warn(PluginDomain loaded) {
    try {
      String refused = loaded.admission().admit(limit);
      if (refused != null && current == loaded && !ending) {
        log.tell("answers on threads of its domain, and not on the loop's: " + refused);
      }
      String warning = loaded.warning();
      if (warning != null && current == loaded) {
        log.tell(warning);
      }
    } catch (IOException | RuntimeException e) {
      if (current == loaded && !ending) {
        log.tell("what would be refused of it later is not known: " + e.getMessage());
      }
    }
  }

  private void watch(PluginDomain loaded) {
    loaded
        .domain()
        .onEnd(() -> {
          if (current == loaded && !ending && !loaded.isHanging()) {
            log.tell(
                "has ended: "
                    + loaded.domain().endReason()
                    + ". Its requests are answered 503 until 'sluice reload' or SIGHUP loads it"
                    + " again");
          }
        });
  }

  /// What commands call its domain.
  String name() {
    return name;
  }

  String prefix() {
    return option.prefix();
  }

  /// The version that answers now.
  PluginDomain current() {
    return Objects.requireNonNull(current);
  }

  /// The domain that answers now.
  Domain domain() {
    return current().domain();
  }

  /// How long a reply may take.
  Duration limit() {
    return limit;
  }

  PluginLog log() {
    return log;
  }

  String overBudget() {
    return "its domain " + name + " is over its budget " + option.budgetText();
  }

  String busy(PluginDomain at) {
    return at.calls().load()
        + ". Fix: raise calls or waiting, or 'sluice domain kill "
        + name
        + "' and 'sluice reload', if calls do not end";
  }

  /// Tells that the plug-in has thrown on a loop's thread, where its text is not asked for.
  void failedOnLoop(String className) {
    log.tell("failed", () -> "answers 500: it threw " + className, Runnable::run);
  }

  /// Counts restarts from now on.
  synchronized void countBy(Counter value) {
    counter = value;
    value.set(restarts);
  }

  // ---- by an operator -----------------------------------------------------------------------

  /// Loads the jar again if it is another one now, or if the domain has ended. The new domain
  /// answers when its plug-in is made; the one before ends when its calls are done, in a thread of
  /// its own. If the jar cannot be loaded, all stays as it was.
  ///
  /// @param told gets one line, if it was loaded or could not be
  /// @return false if it could not be loaded
  synchronized boolean reload(Consumer<String> told) {
    PluginDomain before = current();
    if (ending || before.isCurrent(option)) {
      return true;
    }
    try {
      replaceBy(PluginDomain.load(option, freeName(), directory, limit));
      backoff.reset();
      told.accept(log.line("was loaded again from " + option.jar()));
      Thread.ofVirtual().name("retire-" + name).start(() -> retire(before));
      return true;
    } catch (IOException e) {
      String stays = before.domain().alive() ? "stays as it was" : "stays ended";
      told.accept(log.line(stays + ": " + e.getMessage()));
      return false;
    }
  }

  private void replaceBy(PluginDomain next) {
    current = next;
    stopped = false;
    bornNanos = System.nanoTime();
    watch(next);
    look(next);
  }

  private void retire(PluginDomain before) {
    try {
      before.retire(limit);
    } catch (IOException e) {
      log.tell("leaves a file behind: " + e.getMessage());
    }
  }

  /// An operator ends the domain: it is not loaded again by itself.
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  // ---- by itself ----------------------------------------------------------------------------

  /// A call of a version did not come back though it was interrupted. Does not block.
  ///
  /// @param request that it was to answer
  void hangs(PluginDomain at, String request) {
    if (option.terms().restarts() && at == current && at.domain().alive() && at.hangs()) {
      HostThread.daemon("restart-" + name, () -> restart(at, request)).start();
    }
  }

  private void restart(PluginDomain at, String request) {
    at.domain()
        .kill(
            "its answer to "
                + request
                + " took longer than "
                + limit.toSeconds()
                + " s, and did not end when it was interrupted");
    Duration delay = begin(at);
    while (!awaitEnd(at, delay)) {
      delay = loadAgain(at);
      if (delay.isZero()) {
        return;
      }
    }
  }

  private synchronized Duration begin(PluginDomain at) {
    Duration delay = backoff.after(Duration.ofNanos(System.nanoTime() - bornNanos));
    if (at == current && !ending) {
      restarts++;
      if (counter != null) {
        counter.set(restarts);
      }
      log.tell(
          "has ended: "
              + at.domain().endReason()
              + ". Restart "
              + restarts
              + ": it is loaded again in "
              + delay.toMillis()
              + " ms");
    }
    return delay;
  }

  /// @return whether the version is not to be loaded again
  private synchronized boolean awaitEnd(PluginDomain at, Duration atMost) {
    return Uninterrupted.await(
        atMost,
        nanos -> {
          long deadline = System.nanoTime() + nanos;
          for (long left = nanos; !isOver(at) && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
          }
          return isOver(at);
        });
  }

  private boolean isOver(PluginDomain at) {
    return ending || stopped || current != at;
  }

  /// @return zero if it was loaded, or is not to be; else the time until it is tried again
  private synchronized Duration loadAgain(PluginDomain at) {
    if (isOver(at)) {
      return Duration.ZERO;
    }
    try {
      replaceBy(at.again(option, freeName(), directory, limit));
      at.close();
      return Duration.ZERO;
    } catch (IOException | RuntimeException e) {
      Duration delay = backoff.after(Duration.ZERO);
      log.tell(
          "stays ended: " + e.getMessage() + " The next try is in " + delay.toMillis() + " ms");
      return delay;
    }
  }

  @Override
  public synchronized void close() throws IOException {
    ending = true;
    notifyAll();
    PluginDomain last = current;
    if (last != null) {
      last.close();
    }
  }
}
