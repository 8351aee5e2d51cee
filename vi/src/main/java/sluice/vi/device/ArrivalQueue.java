package sluice.vi.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

  /// Has the device's thread make a port of an arrival.
  ///
  /// @param <W> what a device knows of such a connection
  @FunctionalInterface
  public interface Maker<W> {
    /// Begins, and completes the future later, with null when the arrival is gone.
    ///
    /// @throws IOException when the device is closed
    void begin(W arrival, CompletableFuture<@Nullable Port> made) throws IOException;
  }

  /// Waits for an arrival of which a port is made; those that are gone meanwhile are passed over.
  ///
  /// @param timeoutNanos negative waits for ever
  /// @param what the device's thread, for messages, such as "the loop"
  /// @return null when the time is over
  /// @throws IOException when it or the device is closed, the thread is interrupted, or as the
  ///   device's thread answered
  public @Nullable Port accept(long timeoutNanos, Maker<A> maker, String what) throws IOException {
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      long left = timeoutNanos < 0 ? -1 : Math.max(0, end - System.nanoTime());
      A arrival = take(left);
      if (arrival == null) {
        return null;
      }
      CompletableFuture<@Nullable Port> made = new CompletableFuture<>();
      maker.begin(arrival, made);
      Port port = Answers.await(made, what);
      if (port != null) {
        return port;
      }
    }
  }

  private @Nullable A take(long timeoutNanos) throws IOException {
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
