package sluice.loop.readiness;

import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A listener on an [InProcessNetwork] with its accept queue. Any thread may call.
public final class InProcessListener extends InProcessPollable {
  private final SocketAddress name;
  final boolean shared;
  private final int backlog;
  private final ArrayDeque<InProcessEnd> waiting = new ArrayDeque<>();
  private boolean closed;

  /// @param shared true if other listeners may have the same name
  InProcessListener(SocketAddress name, boolean shared, int backlog) {
    this.name = name;
    this.shared = shared;
    this.backlog = backlog;
  }

  public SocketAddress name() {
    return name;
  }

  public boolean isClosed() {
    synchronized (waiting) {
      return closed;
    }
  }

  /// Adds a connection to the queue.
  ///
  /// @return false if the queue is full or the listener has been closed
  boolean offer(InProcessEnd end) {
    synchronized (waiting) {
      if (closed || waiting.size() > backlog) {
        return false;
      }
      waiting.add(end);
      waiting.notifyAll();
    }
    changed();
    return true;
  }

  @Nullable InProcessEnd poll() {
    synchronized (waiting) {
      return waiting.poll();
    }
  }

  /// Waits for a connection.
  ///
  /// @return the connection, or null if none arrived before the timeout expired or if the listener
  ///   was closed
  public @Nullable InProcessEnd await(long timeoutNanos) throws InterruptedException {
    long end = System.nanoTime() + timeoutNanos;
    synchronized (waiting) {
      while (waiting.isEmpty() && !closed) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return null;
        }
        TimeUnit.NANOSECONDS.timedWait(waiting, Math.max(left, 1_000_000));
      }
      return waiting.poll();
    }
  }

  int queued() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  /// Closes the listener and resets the clients that are still waiting.
  public void close() {
    ArrayDeque<InProcessEnd> rest;
    synchronized (waiting) {
      closed = true;
      rest = new ArrayDeque<>(waiting);
      waiting.clear();
      waiting.notifyAll();
    }
    rest.forEach(InProcessEnd::reset);
  }

  @Override
  int events() {
    return queued() > 0 ? Demultiplexer.IN : 0;
  }
}
