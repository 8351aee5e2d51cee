package sluice.isocket;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.View;
import sluice.memory.WritableView;
import sluice.memory.block.Block;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// A connection that is shared by a loop and the threads of an application. The loop receives all
/// input. Both send output, but never at the same time. While the loop has nothing to send, the
/// application writes directly to the socket on its own thread. Otherwise its output is sent by the
/// loop ([SendQueue]).
///
/// **Order of replies.** An interruptlet may answer a message only if the application has
/// *requested input and found none*, because the application has then replied to all earlier
/// messages. Input that arrives before the application requests it has to wait, so that a fast
/// reply cannot overtake a slow one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all but those below | any thread | under `lock` | under `lock` |
/// | `taken` | the loop | plain, by the loop | plain |
///
/// Lifecycle: connected → closed by the application, once. The loop continues until all output has
/// been sent.
final class SharedStream {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition readable = lock.newCondition();
  private final Connection connection;
  private final Executor loop;
  private final StreamCounters counters;
  private final Arrivals arrivals = new Arrivals();
  private final FastViews views = new FastViews();
  private final SendQueue out;
  private final Runnable resume = this::resumeHere;

  /// The application's descriptor of the socket, or -1 once it is closed.
  private int fd;

  private boolean ended;
  private boolean reset;
  private boolean inputShut;
  private boolean closed;

  /// True if the loop delivers no input until there is space again or until input is requested.
  private boolean held;

  /// True if the application has requested input and found none since it last received some.
  private boolean asked;

  /// True if the application has accepted the connection or the connection is waiting to be
  /// accepted. Used by the loop.
  boolean taken;

  /// @param fd a descriptor of the connection, which is owned by this object from now on
  SharedStream(Connection connection, int fd, ISocketLoop owner, ByteCounts counts) {
    this.connection = connection;
    this.loop = connection.executor();
    this.fd = fd;
    this.counters = owner.counters();
    this.out = new SendQueue(connection, lock, owner, counts);
  }

  int fd() {
    return fd;
  }

  ReentrantLock lock() {
    return lock;
  }

  // ---- for the loop ---------------------------------------------------------------------------

  /// Receives bytes for the application.
  ///
  /// @return false if no more input should be delivered until the application has read
  boolean received(View view, int from, int length) {
    lock.lock();
    try {
      if (closed || inputShut) {
        return true;
      }
      Block chunk = arrivals.mayLease() ? connection.lease(view) : null;
      if (chunk != null) {
        arrivals.add(chunk, connection.leaseOffset() + from, length);
      } else {
        counters.leasesRefused.incrementAndGet();
        arrivals.addCopy(view, from, length);
      }
      asked = false;
      out.settle();
      held = arrivals.isFull();
      readable.signalAll();
      return !held;
    } finally {
      lock.unlock();
    }
  }

  /// Returns true if an interruptlet may answer the current input, in which case the loop owns the
  /// output from then on. Otherwise the loop shows the input again once the application requests
  /// input.
  boolean mayAnswer() {
    lock.lock();
    try {
      boolean may = !taken || (asked && arrivals.bytes() == 0 && out.isQuiet());
      may = may && out.startReply();
      held |= !may;
      return may;
    } finally {
      lock.unlock();
    }
  }

  void ended() {
    lock.lock();
    try {
      ended = true;
      readable.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Continues after the kernel has accepted output.
  void sent() {
    out.sent();
  }

  /// Marks the connection as removed from the loop.
  void gone() {
    lock.lock();
    try {
      if (!ended) {
        reset = true;
      }
      out.gone();
      readable.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void resumeHere() {
    if (connection.isOpen()) {
      connection.resumeInput();
    }
  }

  // ---- reading --------------------------------------------------------------------------------

  /// Reads bytes, waiting until some are available.
  ///
  /// @param timeoutMillis the maximum time to wait; 0 waits without limit
  /// @return the number of bytes read, or -1 at the end of the stream
  int read(byte[] into, int from, int most, int timeoutMillis) throws IOException {
    long deadline = timeoutMillis == 0 ? 0 : System.nanoTime() + timeoutMillis * 1_000_000L;
    lock.lock();
    try {
      while (true) {
        ensureOpen();
        if (inputShut) {
          return -1;
        }
        int n = arrivals.take(into, from, most);
        if (n > 0) {
          letMoreCome();
          return n;
        }
        if (reset) {
          throw new SocketException("Connection reset");
        }
        if (ended) {
          return -1;
        }
        ask();
        if (deadline == 0) {
          Waits.await(readable);
        } else if (!Waits.awaitUntil(readable, deadline) && arrivals.bytes() == 0) {
          ensureOpen();
          if (!ended && !reset) {
            throw new SocketTimeoutException("Read timed out");
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /// Records that all delivered input has been read, so that waiting input may be processed.
  private void ask() {
    asked = true;
    letMoreCome();
  }

  private void letMoreCome() {
    if (held && arrivals.bytes() <= Arrivals.LIMIT_BYTES / 2) {
      held = false;
      loop.execute(resume);
    }
  }

  int available() throws IOException {
    lock.lock();
    try {
      ensureOpen();
      return inputShut ? 0 : arrivals.bytes();
    } finally {
      lock.unlock();
    }
  }

  /// Reads in place, as [ISocket#readFast].
  @Nullable View readFast() throws IOException {
    lock.lock();
    try {
      views.endRead();
      ensureOpen();
      Block block = inputShut ? null : arrivals.frontBlock();
      if (block == null) {
        if (arrivals.bytes() == 0) {
          ask();
        }
        return null;
      }
      long offset = arrivals.frontOffset();
      int length = arrivals.frontLength();
      arrivals.removeFront();
      letMoreCome();
      counters.fastReads.incrementAndGet();
      return views.show(block, offset, length);
    } finally {
      lock.unlock();
    }
  }

  /// Returns true if the peer has ended its stream and all of it has been read.
  boolean isAtEnd() {
    lock.lock();
    try {
      return inputShut || ((ended || reset) && arrivals.bytes() == 0);
    } finally {
      lock.unlock();
    }
  }

  void shutdownInput() throws IOException {
    lock.lock();
    try {
      ensureOpen();
      inputShut = true;
      arrivals.clear();
      letMoreCome();
      Sockets.shutdown(fd, Sockets.SHUT_RD);
      readable.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // ---- writing --------------------------------------------------------------------------------

  void write(byte[] from, int start, int count) throws IOException {
    lock.lock();
    try {
      ensureOpen();
      out.write(fd, from, start, count);
    } finally {
      lock.unlock();
      writerLeft();
    }
  }

  /// Allows input that arrived during a write to be processed.
  private void writerLeft() {
    lock.lock();
    try {
      if (asked && !closed) {
        letMoreCome();
      }
    } finally {
      lock.unlock();
    }
  }

  /// Reserves output, as [ISocket#writeFast].
  @Nullable WritableView writeFast(int bytes) throws IOException {
    if (bytes < 1 || bytes > SendPool.BUFFER_BYTES) {
      throw new IllegalArgumentException(
          "bytes must be 1 to " + SendPool.BUFFER_BYTES + ": " + bytes);
    }
    lock.lock();
    try {
      ensureOpen();
      out.ensureWritable();
      views.endWrite();
      Block block = out.tryReserve(bytes);
      return block == null ? null : views.fill(block, out.reservedAt(), bytes);
    } finally {
      lock.unlock();
    }
  }

  /// Sends a reservation, as [ISocket#handOver].
  void handOver(int count) throws IOException {
    lock.lock();
    try {
      ensureOpen();
      Block block = views.filled(count);
      out.handOver(block, count);
    } finally {
      lock.unlock();
    }
  }

  void sendUrgent(int data) throws IOException {
    lock.lock();
    try {
      ensureOpen();
      out.awaitDirect();
      out.sendUrgent(fd, data);
    } finally {
      lock.unlock();
    }
  }

  void shutdownOutput() throws IOException {
    lock.lock();
    try {
      ensureOpen();
      out.shutdown(fd);
    } finally {
      lock.unlock();
    }
  }

  // ---- end ------------------------------------------------------------------------------------

  private void ensureOpen() throws SocketException {
    if (closed) {
      throw new SocketException("Socket closed");
    }
  }

  /// Closes the application's end. Sends a FIN after all pending output, followed by a reset if
  /// input was left unread. If the socket lingers for 0 seconds, only a reset is sent. Idempotent.
  void close() {
    close(false);
  }

  /// Closes with a reset.
  void reset() {
    close(true);
  }

  private void close(boolean reset) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      boolean aborts = reset || lingersNot();
      boolean resets = aborts || arrivals.bytes() > 0 || held;
      views.end();
      arrivals.clear();
      if (!aborts && resets) {
        Sockets.shutdown(fd, Sockets.SHUT_WR); // as the JDK does: the end comes before the reset
      }
      linger(resets ? 0 : -1); // a loop cannot wait in close(2)
      out.close(fd, resets);
      Files.close(fd);
      fd = -1;
      readable.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private boolean lingersNot() {
    try {
      return Sockets.linger(fd) == 0;
    } catch (SysException gone) {
      return false;
    }
  }

  private void linger(int seconds) {
    try {
      Sockets.linger(fd, seconds);
    } catch (SysException gone) {
      // There is nothing left to send or to reset.
    }
  }
}
