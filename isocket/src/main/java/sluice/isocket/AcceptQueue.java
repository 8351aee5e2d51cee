package sluice.isocket;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Connections of a server socket that wait to be accepted. The loop adds, any thread takes.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all | any thread | under `lock` | under `lock` |
///
/// Limits: with `backlog` connections waiting the loop is told to accept no more; a few that the
/// kernel has accepted already are kept too.
final class AcceptQueue {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition came = lock.newCondition();
  private final ArrayDeque<SharedStream> waiting = new ArrayDeque<>();
  private final int backlog;
  private boolean paused;
  private boolean closed;

  /// Has the loop accept no more, and again.
  private @Nullable Runnable pause;

  private @Nullable Runnable resume;

  AcceptQueue(int backlog) {
    this.backlog = backlog;
  }

  /// @param pause runs on the loop's thread
  /// @param resume any thread runs it
  void control(Runnable pause, Runnable resume) {
    lock.lock();
    try {
      this.pause = pause;
      this.resume = resume;
    } finally {
      lock.unlock();
    }
  }

  /// @return false when the server socket is closed
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

  /// @param timeoutMillis 0 waits without limit
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

  /// Clients that were not accepted are sent away, as by the kernel's queue.
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

  /// Connections that wait.
  int size() {
    lock.lock();
    try {
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }
}
