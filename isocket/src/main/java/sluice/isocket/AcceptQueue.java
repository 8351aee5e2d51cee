package sluice.isocket;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A queue of the connections of a server socket that are waiting to be accepted. The loop adds
/// connections, and any thread may remove them.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all | any thread | under `lock` | under `lock` |
///
/// Once `backlog` connections are waiting, the loop is told to stop accepting. Connections that the
/// kernel has already accepted by then are still added.
final class AcceptQueue {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition came = lock.newCondition();
  private final ArrayDeque<SharedStream> waiting = new ArrayDeque<>();
  private final int backlog;
  private boolean paused;
  private boolean closed;

  /// Makes the loop stop accepting; `resume` makes it accept again.
  private @Nullable Runnable pause;

  private @Nullable Runnable resume;

  AcceptQueue(int backlog) {
    this.backlog = backlog;
  }

  /// Sets the tasks that control the loop.
  ///
  /// @param pause runs on the loop's thread
  /// @param resume runs on any thread
  void control(Runnable pause, Runnable resume) {
    lock.lock();
    try {
      this.pause = pause;
      this.resume = resume;
    } finally {
      lock.unlock();
    }
  }

  /// Adds a connection.
  ///
  /// @return false if the server socket is closed
  boolean add(SharedStream stream) {
    lock.lock();
    try {
      if (closed) {
        return false;
      }
      waiting.add(stream);
      came.signal();
      if (!paused && waiting.size() >= backlog && pause != null) {
        paused = true;
        pause.run();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Removes and returns the next connection, waiting until one arrives.
  ///
  /// @param timeoutMillis the maximum time to wait; 0 waits without limit
  SharedStream take(int timeoutMillis) throws IOException {
    long deadline = timeoutMillis == 0 ? 0 : System.nanoTime() + timeoutMillis * 1_000_000L;
    lock.lock();
    try {
      while (true) {
        if (closed) {
          throw new SocketException("Socket closed");
        }
        SharedStream next = waiting.poll();
        if (next != null) {
          if (paused && waiting.size() <= backlog / 2 && resume != null) {
            paused = false;
            resume.run();
          }
          return next;
        }
        if (deadline == 0) {
          Waits.await(came);
        } else if (!Waits.awaitUntil(came, deadline) && waiting.isEmpty() && !closed) {
          throw new SocketTimeoutException("Accept timed out");
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// Closes the queue. Connections that have not been accepted are reset, as the kernel does with
  /// its own queue.
  void close() {
    List<SharedStream> left;
    lock.lock();
    try {
      closed = true;
      left = List.copyOf(waiting);
      waiting.clear();
      came.signalAll();
    } finally {
      lock.unlock();
    }
    left.forEach(SharedStream::reset);
  }

  /// Returns the number of waiting connections.
  int size() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }
}
