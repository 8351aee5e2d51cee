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

/// A connection that a loop and the threads of an application share. The loop receives everything;
/// both send, never at the same time: what the application writes goes straight to the socket on
/// its own thread while the loop has nothing to send, and through the loop otherwise ([SendQueue]).
///
/// **Which of the two a message belongs to.** An interruptlet may answer while the application has
/// *asked for input and found none*: then it has replied to all that it was given. What comes while
/// it has not asked waits, so that a fast reply cannot overtake a slow one.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all but those below | any thread | under `lock` | under `lock` |
/// | `taken` | the loop | plain, by the loop | plain |
///
/// Lifecycle: connected → closed by the application, once; the loop's end goes on until all has
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

  /// The application's descriptor of the socket; -1 once it is closed.
  private int fd;

  private boolean ended;
  private boolean reset;
  private boolean inputShut;
  private boolean closed;

  /// The loop brings nothing until it is told that there is room, or that input is asked for.
  private boolean held;

  /// The application has asked for input and found none since it was given some.
  private boolean asked;

  /// The application has the connection, or it waits to be accepted. The loop's.
  boolean taken;

  /// @param fd of the connection, which is this object's from now on
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

  /// Takes bytes for the application.
  ///
  /// @return false when no more should come before it has read
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

  /// Whether an interruptlet may answer what has come; if not, the loop shows it again once the
  /// application asks. From then on the output is the loop's.
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

  /// The kernel has taken what was sent.
  void sent() {
    out.sent();
  }

  /// The connection has left the loop.
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

  /// @param timeoutMillis 0 waits without limit
  /// @return bytes read, -1 at the end
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

  /// All that was brought has been read: what waits for that may be looked at.
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

  /// As [ISocket#readFast].
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

  /// Whether the peer has ended its stream, and all of it has been read.
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

  /// Input that came while a write was under way can be looked at now.
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

  /// As [ISocket#writeFast].
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

  /// As [ISocket#handOver].
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

  /// Closes the application's end: FIN behind what was written, and then a reset where bytes were
  /// left unread; a reset alone where the socket is to linger for 0 seconds. Idempotent.
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
      // then there is nothing to send or to reset
    }
  }
}
