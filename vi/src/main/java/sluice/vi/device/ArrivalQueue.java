package sluice.vi.device;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A queue of connections that have sent their greeting and are waiting to be accepted. The
/// device's thread adds connections without waiting for other threads. Any thread may remove a
/// connection or close the queue.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `waiting` | the device's thread adds, any thread takes | its own | its own |
/// | `permits` | as `waiting`: at least as many as wait; one for ever at the end | its own | its own |
/// | `closed` | the closing thread | volatile | volatile, under the monitor |
///
/// Limits: at most [#BACKLOG] connections.
///
/// @param <A> the device's type of such a connection
public final class ArrivalQueue<A> {
  public static final int BACKLOG = 64;

  private final ConcurrentLinkedQueue<A> waiting = new ConcurrentLinkedQueue<>();
  private final Semaphore permits = new Semaphore(0);
  private volatile boolean closed;

  /// Creates an empty queue.
  public ArrivalQueue() {}

  /// Adds a connection. Called on the device's thread.
  ///
  /// @param gone tests if a waiting connection has disconnected and can be removed
  /// @return false if the queue is full or closed
  public boolean offer(A arrival, Predicate<A> gone) {
    boolean _ =
        waiting.removeIf(each -> {
          boolean goes = gone.test(each);
          boolean _ = goes && permits.tryAcquire(); // else a thread has it, and finds nothing
          return goes;
        });
    if (closed || waiting.size() >= BACKLOG) {
      return false;
    }
    waiting.add(arrival);
    permits.release();
    return !closed || !waiting.remove(arrival); // what is not there, `close` or an accept has
  }

  /// A factory with which the device's thread creates a port for a connection.
  ///
  /// @param <W> the device's type of such a connection
  @FunctionalInterface
  public interface Maker<W> {
    /// Starts the creation of a port. The future completes later, with null if the connection has
    /// been closed.
    ///
    /// @throws DeviceException if the device is closed
    void begin(W arrival, CompletableFuture<@Nullable Port> made) throws DeviceException;
  }

  /// Waits for a connection and creates a port for it. Connections that have been closed in the
  /// meantime are skipped.
  ///
  /// @param timeoutNanos the timeout, or a negative number to wait indefinitely
  /// @param what the name of the device's thread for messages, such as "the loop"
  /// @return the port, or null if the timeout expires
  /// @throws DeviceException if the queue or the device is closed, the thread is interrupted, or
  ///   the device's thread answers with an exception
  public @Nullable Port accept(long timeoutNanos, Maker<A> maker, String what)
      throws DeviceException {
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      long left = timeoutNanos < 0 ? -1 : Math.max(0, end - System.nanoTime());
      A arrival = take(left);
      if (arrival == null) {
        return null;
      }
      CompletableFuture<@Nullable Port> made = new CompletableFuture<>();
      maker.begin(arrival, made);
      try {
        Port port = Answers.await(made, what);
        if (port != null) {
          return port;
        }
      } catch (DeviceException e) {
        var _ = made.thenAccept(ArrivalQueue::endUnwanted); // it may be made all the same
        throw e;
      }
    }
  }

  private static void endUnwanted(@Nullable Port port) {
    if (port != null) {
      port.end(Failure.CLOSED);
    }
  }

  private @Nullable A take(long timeoutNanos) throws DeviceException {
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      try {
        if (timeoutNanos < 0) {
          permits.acquire();
        } else if (!permits.tryAcquire(
            Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS)) {
          return null;
        }
      } catch (InterruptedException e) {
        throw DeviceException.interrupted("a connection was waited for", e);
      }
      if (closed) {
        permits.release(); // for the next accept that waits
        throw DeviceException.listenerClosed();
      }
      A arrival = waiting.poll();
      if (arrival != null) {
        return arrival;
      }
    }
  }

  /// Closes the queue.
  ///
  /// @return the waiting connections, or null if the queue was already closed
  public @Nullable List<A> close() {
    synchronized (this) { // of closing threads alone
      if (closed) {
        return null;
      }
      closed = true;
    }
    permits.release();
    List<A> arrivals = new ArrayList<>();
    for (A each = waiting.poll(); each != null; each = waiting.poll()) {
      arrivals.add(each);
    }
    return arrivals;
  }
}
