package sluice.loop;

import org.jspecify.annotations.Nullable;

/// A coarse and cheap timer wheel for the deadlines of connections. Owned by the loop's thread.
///
/// A connection is in at most one list. Postponing its deadline, as every request does, only writes
/// a field. When the old slot is reached, the connection is moved to the correct one. This is a
/// hashed wheel after Varghese and Lauck, SOSP 1987, scheme 6.
final class TimerWheel {
  /// The resolution as a shift, about 67 ms. A deadline fires at most one tick late and never
  /// early.
  static final int TICK_SHIFT = 26;

  private static final int SLOTS = 1024;

  private final @Nullable Endpoint[] slots = new Endpoint[SLOTS];
  private long tick;
  private int count;

  /// A lower bound on the ticks whose slots contain a connection.
  private long earliest;

  TimerWheel(long nowNanos) {
    tick = nowNanos >> TICK_SHIFT;
  }

  int count() {
    return count;
  }

  /// Sets or moves a deadline.
  void schedule(Endpoint connection, long deadlineNanos) {
    connection.deadlineNanos = deadlineNanos;
    long due = dueTick(deadlineNanos);
    if (connection.timerSlot >= 0) {
      if (due >= connection.timerTick) {
        return;
      }
      unlink(connection);
    }
    link(connection, due);
  }

  void cancel(Endpoint connection) {
    if (connection.timerSlot >= 0) {
      unlink(connection);
    }
    connection.deadlineNanos = Endpoint.NO_DEADLINE;
  }

  /// Fires all deadlines that have expired.
  void advance(long nowNanos) {
    long now = nowNanos >> TICK_SHIFT;
    if (count == 0) {
      tick = Math.max(tick, now);
      return;
    }
    if (now - tick > SLOTS) {
      tick = now - SLOTS;
    }
    while (tick < now) {
      tick++;
      fire((int) (tick & (SLOTS - 1)), nowNanos);
    }
  }

  /// Returns the time in nanoseconds until a deadline may expire, or -1 if none is scheduled.
  long untilNextTick(long nowNanos) {
    if (count == 0) {
      return -1;
    }
    earliest = Math.max(earliest, tick + 1);
    while (slots[(int) (earliest & (SLOTS - 1))] == null) {
      earliest++;
    }
    return Math.max(1, (earliest << TICK_SHIFT) - nowNanos);
  }

  private void fire(int slot, long nowNanos) {
    Endpoint connection;
    while ((connection = slots[slot]) != null) {
      unlink(connection);
      if (connection.deadlineNanos == Endpoint.NO_DEADLINE) {
        continue;
      }
      if (connection.deadlineNanos - nowNanos <= 0) {
        connection.deadlineNanos = Endpoint.NO_DEADLINE;
        connection.expired();
      } else {
        link(connection, dueTick(connection.deadlineNanos));
      }
    }
  }

  private long dueTick(long deadlineNanos) {
    return Math.max(tick + 1, (deadlineNanos >> TICK_SHIFT) + 1);
  }

  private void link(Endpoint connection, long due) {
    long place = Math.min(due, tick + SLOTS - 1);
    earliest = count == 0 ? place : Math.min(earliest, place);
    int slot = (int) (place & (SLOTS - 1));
    connection.timerTick = due;
    connection.timerSlot = slot;
    Endpoint first = slots[slot];
    connection.timerNext = first;
    connection.timerPrevious = null;
    if (first != null) {
      first.timerPrevious = connection;
    }
    slots[slot] = connection;
    count++;
  }

  private void unlink(Endpoint connection) {
    Endpoint next = connection.timerNext;
    Endpoint previous = connection.timerPrevious;
    if (previous == null) {
      slots[connection.timerSlot] = next;
    } else {
      previous.timerNext = next;
    }
    if (next != null) {
      next.timerPrevious = previous;
    }
    connection.timerNext = null;
    connection.timerPrevious = null;
    connection.timerSlot = -1;
    count--;
  }
}
