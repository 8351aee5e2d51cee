package sluice.domain;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SwitchPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.Death;

/// What the gates of one domain do: nothing, until it is over its budget; then look at the
/// [Throttle]; and throw [Death] once it has ended. Any thread may call.
///
/// The two steps are switch points (`java.lang.invoke.SwitchPoint`), which compiled code holds as
/// constants: invalidating one throws away exactly the compiled code with gates of this domain. An
/// invalidation stops all threads of the JVM for a moment, so ends are collected: at most one
/// invalidation of ends every 10 ms, for all domains that end meanwhile.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | visitor | the thread that takes out what the JDK kept | volatile | volatile |
/// | lastNanos | any thread | under the lock | under the lock |
final class GateSwitch {
  private static final long APART_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final ReentrantLock ENDING = new ReentrantLock();
  private static final List<GateSwitch> WAITING = new ArrayList<>();
  private static long lastNanos = System.nanoTime() - APART_NANOS;

  private final SwitchPoint free = new SwitchPoint();
  private final SwitchPoint alive = new SwitchPoint();
  private final MethodHandle handle;
  private final String domain;
  private volatile @Nullable Thread visitor;

  GateSwitch(String domain, Throttle throttle) {
    this.domain = domain;
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodType type = MethodType.methodType(void.class);
    try {
      MethodHandle look = lookup.findVirtual(Throttle.class, "pass", type).bindTo(throttle);
      MethodHandle die = lookup.findVirtual(GateSwitch.class, "die", type).bindTo(this);
      handle = free.guardWithTest(MethodHandles.empty(type), alive.guardWithTest(look, die));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
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
  MethodHandle handle() {
    return handle;
  }

  /// From now on, gates look at the throttle. Cannot be undone.
  void watch() {
    SwitchPoint.invalidateAll(new SwitchPoint[] {free});
  }

  /// From now on, gates throw. Returns when that holds for all threads.
  void end() {
    synchronized (WAITING) {
      WAITING.add(this);
    }
    ENDING.lock();
    try {
      if (alive.hasBeenInvalidated()) {
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
      List<SwitchPoint> points = new ArrayList<>();
      synchronized (WAITING) {
        for (GateSwitch each : WAITING) {
          // Only in this order a gate never passes over the throttle's step to a dead domain's.
          points.add(each.alive);
          points.add(each.free);
        }
        WAITING.clear();
      }
      SwitchPoint.invalidateAll(points.toArray(SwitchPoint[]::new));
      lastNanos = System.nanoTime();
    } finally {
      ENDING.unlock();
    }
  }
}
