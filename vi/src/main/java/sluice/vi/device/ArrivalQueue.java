package sluice.vi.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Connections that have said what they want and wait to be accepted. The device's thread adds; any
/// thread takes and closes.
///
/// Limits: [#BACKLOG] wait.
///
/// @param <A> what a device knows of such a connection
public final class ArrivalQueue<A> {
  private static final int BACKLOG = 64;

  /// An arrival, or the end of the listener.
  private record Waiting<W>(@Nullable W arrival) {}

  private final LinkedBlockingQueue<Waiting<A>> waiting = new LinkedBlockingQueue<>(BACKLOG + 1);
  private boolean closed;

  /// Makes an empty one.
  public ArrivalQueue() {}

  /// Adds one.
  ///
  /// @param gone tells which of those that wait are no longer there: their room is used again
  /// @return false when as many wait as may, or it is closed
  public synchronized boolean offer(A arrival, Predicate<A> gone) {
    boolean _ = waiting.removeIf(each -> each.arrival != null && gone.test(each.arrival));
    return !closed && waiting.size() < BACKLOG && waiting.offer(new Waiting<>(arrival));
  }

  /// Waits for one.
  ///
  /// @param timeoutNanos negative waits for ever
  /// @return null when the time is over
  /// @throws IOException when it is closed, or the thread is interrupted
  public @Nullable A take(long timeoutNanos) throws IOException {
    Waiting<A> next;
    try {
      next =
          timeoutNanos < 0
              ? waiting.take()
              : waiting.poll(Math.max(0, timeoutNanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a connection was waited for", e);
    }
    if (next == null) {
      return null;
    }
    if (next.arrival == null) {
      waiting.add(next); // for the next accept that waits
      throw new IOException("the listener is closed");
    }
    return next.arrival;
  }

  /// Ends it.
  ///
  /// @return those that waited; null when it had ended before
  public @Nullable List<A> close() {
    List<Waiting<A>> left = new ArrayList<>();
    synchronized (this) {
      if (closed) {
        return null;
      }
      closed = true;
      waiting.drainTo(left);
      waiting.add(new Waiting<>(null));
    }
    List<A> arrivals = new ArrayList<>();
    for (Waiting<A> each : left) {
      if (each.arrival != null) {
        arrivals.add(each.arrival);
      }
    }
    return arrivals;
  }
}
