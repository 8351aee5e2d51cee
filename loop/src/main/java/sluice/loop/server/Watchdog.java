package sluice.loop.server;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.loop.Loop;
import sluice.loop.LoopCounters;
import sluice.loop.counters.CounterPublisher;
import sluice.loop.sockets.DescriptorShortage;
import sluice.loop.sockets.Log;
import sluice.sys.threads.Uninterrupted;

/// A watchdog for loops. Its daemon thread checks every loop a few times per handler limit and
/// publishes counters. The loops incur no cost.
///
/// If a handler is still in the same run after its limit has passed, the watchdog logs the stack of
/// the loop's thread, emits a JFR event and reports failed health, and the handler is disabled when
/// it returns. A turn whose work takes longer than [#SLOW_TURN_NANOS] is counted. If a recording is
/// in progress, the turn is also reported as an event with its stack, and so are refused
/// connections and receives for which no buffer was free.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | watched, carried | any thread | copy-on-write | copy-on-write |
/// | publishers | any thread | copy-on-write | copy-on-write |
/// | overruns, slowTurns | watchdog | volatile | volatile |
/// | deadLoops | a loop's thread as it dies | volatile | volatile |
/// | Watched fields | watchdog | plain | plain |
public final class Watchdog implements AutoCloseable {
  private static final long PERIOD_NANOS = 2_500_000L;

  /// The period while all loops sleep.
  private static final long IDLE_PERIOD_NANOS = 20_000_000L;

  /// The maximum time between two checks that is counted. If the JVM or the machine was suspended,
  /// so was the watchdog, and no handler is responsible for the delay.
  private static final long MAX_LOOK_NANOS = 4 * PERIOD_NANOS;

  private static final long PUBLISH_NANOS = 100_000_000L;
  private static final long REPORT_NANOS = 1_000_000_000L;

  /// The duration of the work of one turn, after its wait, from which the turn counts as slow.
  static final long SLOW_TURN_NANOS = 20_000_000L;

  private final List<Watched> watched = new CopyOnWriteArrayList<>();
  private final List<LoopThreads> carried = new CopyOnWriteArrayList<>();
  private final List<CounterPublisher> publishers = new CopyOnWriteArrayList<>();
  private final AtomicLong overruns = new AtomicLong();
  private final AtomicLong slowTurns = new AtomicLong();
  private final AtomicLong deadLoops = new AtomicLong();
  private final HandlerReports handlers = new HandlerReports();
  private final Thread thread;
  private volatile boolean closed;

  private static final class Watched {
    final Loop loop;
    long sequence;
    long seenNanos;
    long ranNanos;
    boolean reported;
    long turns = -1;
    long turnSinceNanos;
    String slowStack = "";
    boolean slow;
    long refused;
    long starved;

    Watched(Loop loop) {
      this.loop = loop;
    }
  }

  public Watchdog() {
    thread = Thread.ofPlatform().name("sluice-watchdog").daemon().unstarted(this::run);
    thread.start();
  }

  public void watch(Loop loop) {
    watched.add(new Watched(loop));
  }

  /// Watches the threads of a loop so that another thread can carry them while their carrier is
  /// stuck.
  public void watch(LoopThreads threads) {
    carried.add(threads);
  }

  /// Returns the reports on the run times of handlers.
  public HandlerReports handlers() {
    return handlers;
  }

  /// Publishes a publisher's counters ten times per second, and a final time when the watchdog is
  /// closed.
  public void publish(CounterPublisher publisher) {
    publishers.add(publisher);
  }

  /// Returns the number of turns whose work has taken too long since the start.
  public long slowTurns() {
    return slowTurns.get();
  }

  /// Returns the number of loops that have terminated with an error.
  public long deadLoops() {
    return deadLoops.get();
  }

  /// Returns the number of handler runs that have exceeded their limit since the start.
  public long overruns() {
    return overruns.get();
  }

  /// Returns false once any handler has exceeded its limit or a loop has failed.
  public boolean healthy() {
    return overruns() == 0 && deadLoops.get() == 0;
  }

  void loopDied() {
    deadLoops.incrementAndGet();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }

  private void run() {
    quietly(DescriptorShortage::prepare); // before clients can take the last descriptor
    long published = System.nanoTime();
    long reported = published;
    while (!closed) {
      boolean busy = watched.stream().anyMatch(each -> !each.loop.asleep());
      Uninterrupted.sleep(Duration.ofNanos(busy ? PERIOD_NANOS : IDLE_PERIOD_NANOS));
      for (Watched each : watched) {
        look(each);
        lookAtTurn(each);
      }
      for (LoopThreads each : carried) {
        quietly(each::rescue);
      }
      long now = System.nanoTime();
      if (now - published >= PUBLISH_NANOS) {
        published = now;
        publishers.forEach(this::publishOne);
        watched.forEach(Watchdog::reportShortage);
        quietly(() -> DescriptorShortage.OF_PROCESS.warn(now));
      }
      if (now - reported >= REPORT_NANOS) {
        reported = now;
        quietly(handlers::report);
      }
    }
    quietly(handlers::report);
    publishers.forEach(this::publishOne);
  }

  /// Publishes counters. A process that truncates the counters file must not terminate the
  /// watchdog.
  private void publishOne(CounterPublisher publisher) {
    try {
      publisher.publish();
    } catch (RuntimeException | Error e) {
      publishers.remove(publisher);
      Log.LOGGER.log(Level.WARNING, "counters are not written any more", e);
    }
  }

  /// Runs an action that logs a message, and ignores its failure, because the logger may not be
  /// able to open a file it has to read. The watchdog continues.
  private static void quietly(Runnable logging) {
    try {
      logging.run();
    } catch (RuntimeException | Error e) {
      return;
    }
  }

  private void lookAtTurn(Watched each) {
    long now = System.nanoTime();
    long turns = each.loop.counters().turns();
    boolean working = !each.loop.asleep() && !each.loop.stopping();
    if (working && turns == each.turns) {
      if (!each.slow && now - each.turnSinceNanos > SLOW_TURN_NANOS) {
        each.slow = true;
        slowTurns.incrementAndGet();
        each.slowStack = LoopEvents.recording() ? stackOf(each.loop.ownerThread()) : "";
      }
      return;
    }
    if (each.slow) {
      each.slow = false;
      LoopEvents.slowTurn(each.loop, now - each.turnSinceNanos, each.slowStack);
    }
    each.turns = turns;
    each.turnSinceNanos = now;
  }

  private static void reportShortage(Watched each) {
    LoopCounters counters = each.loop.counters();
    long refused = counters.refusedConnections() - each.refused;
    long starved = counters.starvedReceives() - each.starved;
    each.refused += refused;
    each.starved += starved;
    if (refused > 0) {
      LoopEvents.refused(each.loop, refused);
    }
    if (starved > 0) {
      LoopEvents.starved(each.loop, starved);
    }
  }

  private void look(Watched each) {
    HandlerGuard guard = each.loop.handler().guard();
    long sequence = each.loop.handler().sequence();
    long now = System.nanoTime();
    if (guard == null || sequence != each.sequence) {
      each.sequence = sequence;
      each.ranNanos = 0;
      each.reported = false;
    } else {
      each.ranNanos += Math.min(now - each.seenNanos, MAX_LOOK_NANOS);
      if (!each.reported && each.ranNanos > guard.limitNanos()) {
        each.reported = true;
        report(each.loop, guard);
      }
    }
    each.seenNanos = now;
  }

  private void report(Loop loop, HandlerGuard guard) {
    String stack = stackOf(loop.ownerThread());
    if (loop.handler().guard() != guard) {
      return;
    }
    guard.overran();
    overruns.incrementAndGet();
    Log.LOGGER.log(
        Level.WARNING,
        () ->
            loop.name()
                + ": handler '"
                + guard.name()
                + "' has been running for more than "
                + guard.limitNanos() / 1_000_000
                + " ms and will be disabled when it returns. Why: it holds up every connection of"
                + " its loop. Fix: let it answer PASS and do the work on the slow path. It is"
                + " here:\n"
                + stack);
    HandlerOverrunEvent event = new HandlerOverrunEvent();
    event.handler = guard.name();
    event.loop = loop.name();
    event.limitNanos = guard.limitNanos();
    event.stack = stack;
    event.commit();
  }

  private static String stackOf(@Nullable Thread thread) {
    StringBuilder text = new StringBuilder();
    if (thread != null) {
      for (StackTraceElement frame : thread.getStackTrace()) {
        text.append("\tat ").append(frame).append('\n');
      }
    }
    return text.toString();
  }
}
