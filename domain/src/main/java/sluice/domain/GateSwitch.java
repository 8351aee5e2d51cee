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

/// Switches the gates of one domain. While the domain is within its budget, a gate does nothing.
/// After the domain has been over its budget, a gate checks the [Throttle]. Once the domain has
/// been terminated, a gate throws [Death]. Any thread may call.
///
/// All gates of a domain share one call site (`java.lang.invoke.MutableCallSite`), whose target is
/// a constant in compiled code ([sluice.domain.inside.Gate]). Setting a new target discards exactly
/// the compiled code that contains gates of this domain. Because this briefly stops all threads of
/// the JVM, terminations are batched: there is at most one every 10 ms, for all domains that are
/// terminated in the meantime.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | ended, the target | the warden's thread, threads that end domains | under the lock | under the lock |
/// | visitor | the thread that removes references that the JDK kept | volatile | volatile |
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

  /// A call site that code of the domain cannot change, even if it reaches it by reflection.
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

  /// Allows a thread to pass the gates after the domain has been terminated, for code of the domain
  /// that the JDK calls when it removes an object. Null admits no thread.
  void admit(@Nullable Thread thread) {
    visitor = thread;
  }

  /// Returns the call site that all gates of the domain invoke.
  MutableCallSite site() {
    return site;
  }

  /// Makes the gates check the throttle from now on.
  void watch() {
    lead(Inside.WATCHED);
  }

  /// Makes the gates do nothing from now on.
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

  /// Makes the gates throw from now on. Returns when this applies to all threads.
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
