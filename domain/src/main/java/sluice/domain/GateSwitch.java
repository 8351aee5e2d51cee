package sluice.domain;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;
import sluice.domain.inside.Inside;

/// What the gates of one domain do: nothing, while it is within its budget; look at the [Throttle]
/// when it has been over it lately; and throw [Death] once it has ended. Any thread may call.
///
/// The gates of a domain have one call site (`java.lang.invoke.MutableCallSite`), whose target
/// compiled code holds as a constant ([sluice.domain.inside.Gate]): a new target throws away
/// exactly the compiled code with gates of this domain. That stops all threads of the JVM for a
/// moment, so ends are collected: at most every 10 ms, for all domains that end meanwhile.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ended, the target | the warden's thread, threads that end domains | under the lock | under the lock |
/// | visitor | the thread that takes out what the JDK kept | volatile | volatile |
/// | lastNanos | any thread | under the lock of ends | under the lock of ends |
final class GateSwitch {
  private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final ReentrantLock ENDING = new ReentrantLock();
  private static final List<GateSwitch> WAITING = new ArrayList<>();
  private static long lastNanos = System.nanoTime() - APART_NANOS;

  private final MethodHandle die;
  private final Site site;
  private final String domain;
  private boolean ended;
  private volatile @Nullable Thread visitor;

  /// Code of the domain that reaches it by reflection cannot set it.
  private static final class Site extends MutableCallSite {
    Site() {
      super(Inside.OPEN);
    }

    private void lead(MethodHandle target) {
      super.setTarget(target);
    }

    @Override
    public void setTarget(MethodHandle target) {
      throw new UnsupportedOperationException("the gates of a domain");
    }
  }

  GateSwitch(String domain) {
    this.domain = domain;
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodType type = MethodType.methodType(void.class);
    try {
      die = lookup.findVirtual(GateSwitch.class, "die", type).bindTo(this);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
    site = new Site();
  }

  @SuppressWarnings("UnusedMethod") // called through its handle
  private void die() {
    if (visitor != Thread.currentThread()) {
      throw new Death(domain);
    }
  }

  /// After the end, has gates let this thread pass, for code of the domain that the JDK calls when
  /// it takes something out.
  void admit(@Nullable Thread thread) {
    visitor = thread;
  }

  /// What a gate runs.
  MutableCallSite site() {
    return site;
  }

  /// From now on, gates look at the throttle.
  void watch() {
    lead(Inside.WATCHED);
  }

  /// From now on, gates do nothing.
  void leave() {
    lead(Inside.OPEN);
  }

  private void lead(MethodHandle target) {
    synchronized (this) {
      if (ended) {
        return;
      }
      site.lead(target);
    }
    MutableCallSite.syncAll(new MutableCallSite[] {site});
  }

  private synchronized boolean hasEnded() {
    return ended;
  }

  private synchronized MutableCallSite leadToDeath() {
    ended = true;
    site.lead(die);
    return site;
  }

  /// From now on, gates throw. Returns when that holds for all threads.
  void end() {
    synchronized (WAITING) {
      WAITING.add(this);
    }
    ENDING.lock();
    try {
      if (hasEnded()) {
        return;
      }
      long wait = lastNanos + APART_NANOS - System.nanoTime();
      while (wait > 0) {
        LockSupport.parkNanos(wait);
        wait =
            Thread.currentThread().isInterrupted()
                ? 0
                : lastNanos + APART_NANOS - System.nanoTime();
      }
      List<MutableCallSite> sites = new ArrayList<>();
      synchronized (WAITING) {
        for (GateSwitch each : WAITING) {
          sites.add(each.leadToDeath());
        }
        WAITING.clear();
      }
      MutableCallSite.syncAll(sites.toArray(MutableCallSite[]::new));
      lastNanos = System.nanoTime();
    } finally {
      ENDING.unlock();
    }
  }
}
