package sluice.host.plugin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.domain.Domain;
import sluice.domain.DomainEnded;
import sluice.http.plugin.HttpPlugin;
import sluice.sys.threads.Uninterrupted;

/// The threads of one domain that run calls of its plug-in, and the calls that wait for them. Any
/// thread; all fields are under the monitor.
///
/// Threads are started when a call finds none idle, and stay until the domain ends: the use of a
/// thread that lives as long as a request would not be seen by the samples of the budget.
final class PluginThreads {
  /// Calls at a time, if the budget of threads allows them.
  static final int RUNNING = 16;

  /// Calls that wait for a thread.
  static final int WAITING = 64;

  private final Domain domain;
  private final HttpPlugin plugin;
  private final int most;
  private final ArrayDeque<PluginCall> waiting = new ArrayDeque<>();
  private final Set<PluginCall> open = new HashSet<>();
  private int threads;
  private int idle;
  private boolean retired;

  /// @param most threads that calls may have
  PluginThreads(Domain domain, HttpPlugin plugin, int most) {
    this.domain = domain;
    this.plugin = plugin;
    this.most = Math.min(most, RUNNING);
    domain.onEnd(this::ended);
  }

  /// Has a request answered, and waits for that.
  PluginOutcome call(PluginCall call, Duration atMost) throws InterruptedException {
    PluginOutcome refused = submit(call);
    if (refused != null) {
      return refused;
    }
    try {
      return call.await(atMost, domain::aside);
    } finally {
      forget(call);
    }
  }

  private @Nullable PluginOutcome submit(PluginCall call) {
    if (domain.isHeld()) {
      return PluginOutcome.Unserved.OVER_BUDGET;
    }
    synchronized (this) {
      if (retired) {
        return PluginOutcome.Unserved.RETIRED;
      }
      if (!domain.alive()) {
        return PluginOutcome.Unserved.ENDED;
      }
      boolean isShort = idle <= waiting.size() && (threads == most || !startThread());
      if (threads == 0 || (isShort && waiting.size() == WAITING)) {
        return PluginOutcome.Unserved.BUSY;
      }
      open.add(call);
      waiting.add(call);
      notifyAll();
      return null;
    }
  }

  /// @return false if the budget of the domain has no thread left, or it has just ended
  private boolean startThread() {
    try {
      domain.start("plugin-" + domain.name() + "-" + (threads + 1), this::work);
      threads++;
      return true;
    } catch (IllegalStateException | DomainEnded e) {
      return false;
    }
  }

  /// A call of which the caller knows the outcome does not wait any more.
  private synchronized void forget(PluginCall call) {
    if (waiting.remove(call)) {
      open.remove(call);
      notifyAll();
    }
  }

  private void work() {
    try {
      for (PluginCall call = take(); call != null; call = take()) {
        try {
          call.run(plugin);
        } finally {
          done(call);
        }
      }
    } finally {
      synchronized (this) {
        threads--;
      }
    }
  }

  /// @return null when no more calls will come
  private synchronized @Nullable PluginCall take() {
    idle++;
    try {
      while (waiting.isEmpty() && !retired && domain.alive()) {
        try {
          wait();
        } catch (InterruptedException e) {
          // Of the end of the domain, which the condition sees, or of the plug-in to itself.
        }
      }
      return domain.alive() ? waiting.poll() : null;
    } finally {
      idle--;
    }
  }

  private synchronized void done(PluginCall call) {
    open.remove(call);
    notifyAll();
  }

  /// By the thread that ends the domain.
  private void ended() {
    List<PluginCall> left;
    synchronized (this) {
      left = List.copyOf(open);
      waiting.clear();
      notifyAll();
    }
    left.forEach(call -> call.settle(PluginOutcome.Unserved.ENDED));
  }

  /// From now on, calls are refused as `RETIRED`; waits until the calls that were taken are done.
  ///
  /// @return false if that took longer
  synchronized boolean retire(Duration atMost) {
    retired = true;
    notifyAll();
    return Uninterrupted.await(
        atMost,
        nanos -> {
          long deadline = System.nanoTime() + nanos;
          for (long left = nanos; !open.isEmpty() && left > 0; ) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = deadline - System.nanoTime();
          }
          return open.isEmpty();
        });
  }

  /// Such as `16 calls run, 3 of them too long, and 64 wait`.
  synchronized String load() {
    int running = open.size() - waiting.size();
    long late = open.stream().filter(PluginCall::isSettled).count();
    return running + " calls run, " + late + " of them too long, and " + waiting.size() + " wait";
  }
}
