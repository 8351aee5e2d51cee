package sluice.loop;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The right to answer one deferred message. Any thread may use it, but only one at a time. The
/// parts of the reply are staged on the loop's thread, and the connection's next message is not
/// handled before [#complete].
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | gone, full | loop | volatile | volatile |
/// | waiting | loop | plain | plain |
/// | unstaged | answering thread adds, loop subtracts | volatile | getAndAdd |
/// | waiter | answering thread | volatile | volatile |
public final class ReplyTicket {
  /// A part of a reply. Exactly one of its methods is called, on the loop's thread.
  public interface Piece {
    /// Stages this part of the reply.
    void stage(Connection connection);

    /// Releases the resources of this part because its connection has been closed.
    default void abandoned() {}
  }

  private final Connection connection;
  private final AtomicBoolean completed = new AtomicBoolean();
  private volatile boolean gone;
  private volatile @Nullable Thread waiter;
  private final AtomicInteger unstaged = new AtomicInteger();
  private volatile boolean full;

  /// The parts that are waiting for output memory, in order.
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);

  private record Waiting(Piece piece, boolean last) {}

  ReplyTicket(Connection connection) {
    this.connection = connection;
  }

  /// Returns true if the connection has been closed, so that further work on the reply is
  /// pointless.
  public boolean gone() {
    return gone;
  }

  /// Stages a part of the reply that is not the last.
  public void append(Piece piece) {
    if (completed.get()) {
      throw new IllegalStateException("this reply is complete already");
    }
    unstaged.incrementAndGet();
    connection.executor().execute(() -> arrived(piece, false));
  }

  /// Stages the last part of the reply and opens the gate for the connection's next message.
  ///
  /// @throws IllegalStateException if called twice
  public void complete(Piece piece) {
    if (!completed.compareAndSet(false, true)) {
      throw new IllegalStateException("this reply is complete already");
    }
    connection.executor().execute(() -> arrived(piece, true));
  }

  /// Completes the reply as [#complete] does, but immediately. Must be called on the loop's thread.
  public void completeHere(Piece piece) {
    if (!completed.compareAndSet(false, true)) {
      throw new IllegalStateException("this reply is complete already");
    }
    arrived(piece, true);
  }

  /// Blocks until the appended parts have been staged and mostly accepted by the kernel. This
  /// provides back-pressure for replies of any length. Returns immediately if the connection has
  /// been closed.
  ///
  /// @throws InterruptedException if the waiting thread is interrupted
  public void awaitRoom() throws InterruptedException {
    waiter = Thread.currentThread();
    try {
      while ((unstaged.get() > 0 || full) && !gone) {
        LockSupport.park(this);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      waiter = null;
    }
  }

  private void arrived(Piece piece, boolean last) {
    if (waiting.isEmpty() && !mustWait()) {
      staged(piece, last);
    } else {
      waiting.add(new Waiting(piece, last));
      connection.loop.outputRoom().await(connection);
    }
  }

  private boolean mustWait() {
    return connection.ticket == this
        && connection.state == Connection.State.OPEN
        && (connection.loop.outputRoom().isShort()
            || connection.loop.outputMemory().staging().full());
  }

  /// Stages waiting parts when output memory is available. Must be called on the loop's thread.
  void roomCame() {
    while (!waiting.isEmpty()) {
      if (mustWait()) {
        connection.loop.outputRoom().await(connection);
        return;
      }
      Waiting next = waiting.remove();
      staged(next.piece, next.last);
    }
    connection.roomGranted = false;
  }

  private void staged(Piece piece, boolean last) {
    stage(piece, last);
    if (!last) {
      unstaged.decrementAndGet(); // now that `full` is known
      wakeWaiter();
    }
  }

  private void stage(Piece piece, boolean last) {
    if (connection.ticket != this || connection.state != Connection.State.OPEN) {
      if (last && connection.ticket == this) {
        connection.ticket = null;
      }
      piece.abandoned();
      connectionGone();
      return;
    }
    if (last) {
      connection.ticket = null;
    }
    connection.parts.calls().stage(piece, connection);
    if (last) {
      connection.input.resumeAfterAnswer();
    } else {
      full = connection.output().queuedBytes() >= lowWaterBytes();
    }
  }

  boolean awaitsRoom() {
    return full;
  }

  /// Wakes the answering thread if output has drained below the low-water mark. Called on the
  /// loop's thread whenever output has been accepted.
  void roomIfDrained() {
    if (full && connection.output().queuedBytes() < lowWaterBytes()) {
      full = false;
      wakeWaiter();
    }
  }

  private int lowWaterBytes() {
    return connection.loop.outputRoom().lowWaterBytes();
  }

  /// Abandons the waiting parts when the connection is closed. Must be called on the loop's thread.
  void connectionGone() {
    gone = true;
    while (!waiting.isEmpty()) {
      waiting.remove().piece.abandoned();
    }
    wakeWaiter();
  }

  private void wakeWaiter() {
    Thread thread = waiter;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
