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

/// Manages the lifecycle of one plug-in of a server. It loads the plug-in, reloads it on behalf of
/// an operator or after a hanging call, and terminates it. Only one version of the plug-in answers
/// requests at a time. Any thread may call [#current], whereas [#reload], restarts and [#close] are
/// mutually exclusive.
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

  /// Creates an instance for one plug-in, without loading it.
  ///
  /// @param directory the directory for the copies of jars
  PluginLife(PluginOption option, Path directory, Duration limit, Consumer<String> lines) {
    this.option = option;
    this.directory = directory;
    this.limit = limit;
    this.log = new PluginLog(option.prefix(), lines);
  }

  /// Loads the plug-in. Must be called once, before all other methods except [#prefix].
  ///
  /// @throws IOException with the path, the jar, the class, the method, the reason and a fix
  synchronized void load() throws IOException {
    PluginDomain first = PluginDomain.load(option, freeName(), directory, limit);
    name = first.domain().name();
    current = first;
    bornNanos = System.nanoTime();
    watch(first);
  }

  /// Returns the prefix as the name of a domain, followed by a number if the name is used by a
  /// domain that is alive.
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

  /// Checks all classes of the jar in another thread after a short delay, so that the startup and
  /// the first requests are not delayed.
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

  /// Returns the name of the domain that is used by commands.
  String name() {
    return name;
  }

  String prefix() {
    return option.prefix();
  }

  /// Returns the version that currently answers requests.
  PluginDomain current() {
    return Objects.requireNonNull(current);
  }

  /// Returns the domain that currently answers requests.
  Domain domain() {
    return current().domain();
  }

  /// Returns the timeout for a reply.
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

  /// Logs that the plug-in threw an exception on a loop's thread. The message of the exception is
  /// not logged, because retrieving it would execute code of the plug-in.
  void failedOnLoop(String className) {
    log.tell("failed", () -> "answers 500: it threw " + className, Runnable::run);
  }

  /// Sets the counter for restarts.
  synchronized void countBy(Counter value) {
    counter = value;
    value.set(restarts);
  }

  // ---- requests of operators ----------------------------------------------------------------

  /// Loads the jar again if it has been changed or if the domain has terminated. The new domain
  /// answers requests as soon as its plug-in has been created. The old domain is terminated by
  /// another thread when its calls have been completed. If the jar cannot be loaded, nothing is
  /// changed.
  ///
  /// @param told a consumer that receives one line if the jar was loaded or could not be loaded
  /// @return false if the jar could not be loaded
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

  /// Records that the domain is terminated by an operator, so that it is not restarted
  /// automatically.
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  // ---- automatic restarts -------------------------------------------------------------------

  /// Handles a call that did not return after it had been interrupted. This method does not block.
  ///
  /// @param request the request of the call, for the log
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

  /// Waits until the delay has elapsed.
  ///
  /// @return true if the version must not be loaded again
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

  /// Loads the same version again.
  ///
  /// @return zero if it was loaded or must not be loaded, otherwise the delay before the next
  ///   attempt
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
