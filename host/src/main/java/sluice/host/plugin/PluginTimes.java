package sluice.host.plugin;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.loop.Loop;

/// Manages the open calls of one plug-in on one loop. It notifies the domain of new calls and
/// aborts calls whose timeout has expired. Instances are owned by the loop's thread.
///
/// All calls have the same timeout, so they expire in the order of their arrival and a timer only
/// has to check the oldest call. If a call has transferred any data in this time or is waiting for
/// the client, its timeout is restarted and the call is moved to the end of the list.
final class PluginTimes {
  /// The deadline of an open call.
  ///
  /// @param progress the progress of the call when its timeout was started
  private record Open(long untilNanos, long progress) {}

  /// A late call that has been interrupted but has not returned yet.
  private record Late(PluginCall call, long untilNanos) {}

  private final Plugin plugin;
  private final Loop loop;
  private final long limitNanos;
  private final Map<PluginCall, Open> open = new LinkedHashMap<>();
  private final ArrayDeque<Late> late = new ArrayDeque<>();
  private final List<PluginDomain> posted = new ArrayList<>(2);
  private final Runnable wake = this::wake;
  private boolean isScheduled;

  /// Creates an empty list.
  ///
  /// @param limit the timeout for a reply; a call that is still running after twice this time is
  ///   considered hanging, which is reported to the plug-in
  PluginTimes(Plugin plugin, Loop loop, Duration limit) {
    this.plugin = plugin;
    this.loop = loop;
    this.limitNanos = limit.toNanos();
  }

  Loop loop() {
    return loop;
  }

  /// Adds a call that has been posted. Its domain is notified at the end of the loop's turn.
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

  /// Notifies the versions of the plug-in that received calls in this turn. There is usually only
  /// one such version.
  private void wake() {
    posted.forEach(each -> each.calls().wake());
    posted.clear();
  }

  /// Removes a call. Does nothing if the call is not in the list.
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
      // Interrupting a thread of a domain may start a thread.
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
