package sluice.host.plugin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.loop.Loop;

/// The open calls of one plug-in on one loop: wakes its domain for them, and says when they are
/// late. Owned by the loop's thread.
///
/// All calls have the same time, so they are late in the order in which they came: a task of the
/// loop looks at the first of them. A call that has read or written something in its time, or waits
/// for the client, has the same time again, behind all others.
final class PluginTimes {
  /// A call that has time until then.
  ///
  /// @param progress when the time began
  private record Open(long untilNanos, long progress) {}

  /// A call whose thread did not come back when it was interrupted.
  private record Late(PluginCall call, long untilNanos) {}

  private final Plugin plugin;
  private final Loop loop;
  private final long limitNanos;
  private final Map<PluginCall, Open> open = new LinkedHashMap<>();
  private final ArrayDeque<Late> late = new ArrayDeque<>();
  private final List<PluginDomain> posted = new ArrayList<>(2);
  private final Runnable wake = this::wake;
  private boolean isScheduled;

  /// @param limit for a reply; after as long again, a call that still runs hangs, and the plug-in
  ///   is told so
  PluginTimes(Plugin plugin, Loop loop, Duration limit) {
    this.plugin = plugin;
    this.loop = loop;
    this.limitNanos = limit.toNanos();
  }

  Loop loop() {
    return loop;
  }

  /// Takes a call that was posted. Its domain is woken at the end of the turn.
  void add(PluginCall call) {
    open.put(call, new Open(loop.clock().nanos() + limitNanos, call.progress()));
    schedule(limitNanos);
    if (posted.isEmpty()) {
      loop.beforeWait(wake);
    }
    if (posted.isEmpty() || posted.getLast() != call.at()) {
      posted.add(call.at());
    }
  }

  /// Wakes each version of the plug-in that was given calls in this turn: mostly one.
  private void wake() {
    posted.forEach(each -> each.calls().wake());
    posted.clear();
  }

  /// Without effect if it is not there.
  void remove(PluginCall call) {
    open.remove(call);
  }

  private void schedule(long nanos) {
    if (!isScheduled) {
      isScheduled = true;
      loop.schedule(nanos, this::look);
    }
  }

  private void look() {
    isScheduled = false;
    long now = loop.clock().nanos();
    long next = Math.min(lookAtOpen(now), lookAtLate(now));
    if (next != Long.MAX_VALUE) {
      schedule(Math.max(1, next));
    }
  }

  private long lookAtOpen(long now) {
    List<PluginCall> due = new ArrayList<>();
    List<PluginCall> again = new ArrayList<>();
    long next = Long.MAX_VALUE;
    for (Map.Entry<PluginCall, Open> each : open.entrySet()) {
      PluginCall call = each.getKey();
      long left = each.getValue().untilNanos - now;
      if (left > 0) {
        next = left;
        break;
      }
      boolean goesOn = call.progress() != each.getValue().progress || call.waitsForClient();
      (goesOn ? again : due).add(call);
    }
    for (PluginCall each : again) {
      open.remove(each);
      open.put(each, new Open(now + limitNanos, each.progress()));
      next = Math.min(next, limitNanos);
    }
    for (PluginCall each : due) {
      open.remove(each);
      late.add(new Late(each, now + limitNanos));
      // What interrupts a thread of a domain may start a thread.
      loop.slowPath().execute(() -> each.settleAs(PluginOutcome.Unserved.LATE));
    }
    return next;
  }

  private long lookAtLate(long now) {
    for (Late each = late.peek(); each != null; each = late.peek()) {
      long left = each.untilNanos - now;
      if (left > 0) {
        return left;
      }
      late.remove();
      if (each.call.isStillRunning()) {
        plugin.hangs(each.call);
      }
    }
    return Long.MAX_VALUE;
  }
}
