package sluice.isocket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.Sockets;

/// The output of an application in the order in which it was written. Guarded by the lock of its
/// [SharedStream]. Methods whose names end in `Here` run on the loop's thread.
///
/// ```
/// DIRECT ──the socket is full, a view is handed over, an interruptlet answers──▶ LOOP
///    ▲                                                                            │
///    └──────────────────── the kernel has taken all of it ────────────────────────┘
/// ```
///
/// Several reservations fill the same buffer in succession. Adjacent segments are sent as one.
///
/// If [#LIMIT_BYTES] bytes or [#PIECES] segments are pending, a write waits and a reservation is
/// refused. This limit, plus one write and one reservation, is the amount that a loop queues before
/// it stops showing input to an interruptlet. If the loop's output memory runs out, segments wait
/// in this queue.
final class SendQueue {
  static final int LIMIT_BYTES = 128 << 10;
  static final int PIECES = 64;

  /// The capacity of the ring. It includes one entry for a reservation that was granted before the
  /// limit was reached, and one for its writer.
  private static final int RING = PIECES + 2;

  private static final int COPY_BYTES = 8 << 10;
  private static final int FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final Connection connection;
  private final Executor loop;
  private final ReentrantLock lock;
  private final Condition room;
  private final SendPool pool;
  private final ISocketLoop owner;
  private final StreamCounters counters;
  private final ByteCounts counts;
  private final Runnable stage = this::stageHere;

  private final @Nullable Block[] blocks = new Block[RING];
  private final @Nullable HeapBytes[] copies = new HeapBytes[RING];
  private final int[] offsets = new int[RING];
  private final int[] lengths = new int[RING];
  private int head;
  private int count;

  /// The number of bytes that were passed to the loop and have not yet been accepted by the kernel.
  private long posted;

  /// The buffer in which reservations are made, starting at `filled`.
  private SendPool.@Nullable SendBuffer current;

  private int filled;
  private boolean reserved;

  private boolean staging;

  /// True if the loop will check again soon for free room.
  private boolean retrying;

  /// True if an interruptlet's reply is waiting behind segments for which there is no room yet.
  private boolean replyWaits;

  private boolean loopSends;
  private boolean writing;

  /// The segment that was submitted during a write and is sent after it.
  private @Nullable Block behind;

  private int behindOffset;
  private int behindLength;

  private boolean shutdownAsked;
  private boolean outputShut;
  private boolean gone;
  private boolean closed;
  private int fdToShut = -1;

  SendQueue(Connection connection, ReentrantLock lock, ISocketLoop owner, ByteCounts counts) {
    this.connection = connection;
    this.loop = connection.executor();
    this.lock = lock;
    this.room = lock.newCondition();
    this.owner = owner;
    this.pool = owner.sendPool();
    this.counters = owner.counters();
    this.counts = counts;
  }

  // ---- ordinary writes ------------------------------------------------------------------------

  void write(int fd, byte[] from, int start, int bytes) throws IOException {
    while (writing) {
      Waits.await(room);
      ensureWritable();
    }
    writing = true;
    try {
      int done = 0;
      while (done < bytes) {
        awaitRoom();
        int n = writePart(fd, from, start + done, bytes - done);
        counts.sent.addAndGet(n);
        done += n;
      }
    } finally {
      writing = false;
      Block waited = behind;
      if (waited != null) {
        behind = null;
        if (closed) {
          waited.release();
        } else {
          add(waited, behindOffset, behindLength);
        }
      }
      room.signalAll();
    }
  }

  private int writePart(int fd, byte[] from, int start, int most) throws IOException {
    SendPool.SendBuffer buffer = pool.tryTake();
    if (buffer == null) {
      int n = Math.min(most, COPY_BYTES);
      byte[] copy = new byte[n];
      System.arraycopy(from, start, copy, 0, n);
      int at = claim(n);
      copies[at] = new HeapBytes(copy);
      post();
      return n;
    }
    int n = Math.min(most, SendPool.BUFFER_BYTES);
    MemorySegment.copy(from, start, buffer.segment(), ValueLayout.JAVA_BYTE, 0, n);
    int sent = 0;
    if (!loopSends) {
      sent = send(fd, buffer.segment(), n, FLAGS);
      if (sent < 0 && sent != -Errno.EAGAIN) {
        buffer.release();
        throw error(sent);
      }
      sent = Math.max(0, sent);
    }
    if (sent == n) {
      buffer.release();
    } else {
      add(buffer, sent, n - sent);
    }
    return n;
  }

  private static int send(int fd, MemorySegment bytes, int length, int flags) {
    int sent;
    do {
      sent = Sockets.send(fd, bytes, 0, length, flags);
    } while (sent == -Errno.EINTR);
    return sent;
  }

  private static SocketException error(int errno) {
    return new SocketException(Errno.describe(errno));
  }

  private void awaitRoom() throws IOException {
    ensureWritable();
    while (!hasRoom()) {
      Waits.await(room);
      ensureWritable();
    }
  }

  private boolean hasRoom() {
    return posted < LIMIT_BYTES && count < PIECES;
  }

  /// Waits until the loop has nothing to send.
  void awaitDirect() throws IOException {
    ensureWritable();
    while (loopSends || writing) {
      post();
      Waits.await(room);
      ensureWritable();
    }
  }

  void ensureWritable() throws SocketException {
    if (closed) {
      throw new SocketException("Socket closed");
    }
    if (outputShut || gone) {
      throw error(Errno.EPIPE);
    }
  }

  void sendUrgent(int fd, int data) throws IOException {
    SendPool.SendBuffer buffer = pool.tryTake();
    if (buffer == null) {
      throw new SocketException("No buffer space available");
    }
    try {
      buffer.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) data);
      int sent = send(fd, buffer.segment(), 1, FLAGS | Sockets.MSG_OOB);
      if (sent == -Errno.EAGAIN) {
        throw new SocketException("No buffer space available");
      }
      if (sent < 0) {
        throw error(sent);
      }
    } finally {
      buffer.release();
    }
  }

  // ---- reservations ---------------------------------------------------------------------------

  /// Reserves space in a buffer, starting at [#reservedAt].
  ///
  /// @return the buffer with a lease for the caller, or null if there is no space
  @Nullable Block tryReserve(int bytes) {
    SendPool.SendBuffer buffer = current;
    reserved = false; // an earlier one was dropped
    if (behind != null || !hasRoom()) {
      counters.reservationsRefused.incrementAndGet();
      return null;
    }
    if (buffer == null || SendPool.BUFFER_BYTES - filled < bytes) {
      dropCurrent();
      buffer = pool.tryTake();
      current = buffer;
      filled = 0;
    }
    if (buffer == null) {
      counters.reservationsRefused.incrementAndGet();
      return null;
    }
    reserved = true;
    return buffer.lease();
  }

  int reservedAt() {
    return filled;
  }

  /// Sends the first bytes of a reservation. The caller's lease is transferred to this object.
  void handOver(Block block, int bytes) {
    int from = filled;
    reserved = false;
    counters.fastWrites.incrementAndGet();
    if (bytes == 0 || gone) {
      block.release();
      return;
    }
    filled += bytes;
    counts.sent.addAndGet(bytes);
    if (writing) {
      behind = block;
      behindOffset = from;
      behindLength = bytes;
    } else {
      add(block, from, bytes);
    }
  }

  private void dropCurrent() {
    SendPool.SendBuffer buffer = current;
    if (buffer != null) {
      current = null;
      buffer.release();
    }
  }

  // ---- pieces ---------------------------------------------------------------------------------

  private void add(Block block, int offset, int length) {
    if (count > 0) {
      int last = (head + count - 1) % RING;
      if (blocks[last] == block && offsets[last] + lengths[last] == offset) {
        lengths[last] += length;
        posted += length;
        block.release(); // the piece already has a lease
        return;
      }
    }
    int at = claim(length);
    blocks[at] = block;
    offsets[at] = offset;
    post();
  }

  private int claim(int length) {
    int at = (head + count++) % RING;
    lengths[at] = length;
    posted += length;
    loopSends = true;
    return at;
  }

  private void post() {
    if (!staging) {
      staging = true;
      loop.execute(stage);
    }
  }

  private void stageHere() {
    lock.lock();
    try {
      staging = false;
      if (gone || !connection.isOpen()) {
        dropPieces();
        return;
      }
      while (count > 0) {
        if (connection.outputFull()) {
          retry(); // staged output must be kept if peers do not read
          break;
        }
        Block block = blocks[head];
        HeapBytes copy = copies[head];
        if (block != null) {
          connection.output().give(block, offsets[head], lengths[head]);
        } else if (copy != null) {
          connection.output().put(copy.array);
        }
        removeHead();
      }
      if (count == 0 && replyWaits) {
        replyWaits = false;
        connection.resumeInput();
      }
      if (!reserved && count == 0) {
        dropCurrent(); // a socket that sends nothing holds no buffer
      }
      settleHere();
    } finally {
      lock.unlock();
    }
  }

  /// Retries soon. The loop's output memory has run out, or this connection has used its share of
  /// it, so peers have to read first.
  private void retry() {
    if (!retrying) {
      retrying = true;
      owner.later(this::retryHere);
    }
  }

  private void retryHere() {
    lock.lock();
    try {
      retrying = false;
      stageHere();
    } finally {
      lock.unlock();
    }
  }

  private void removeHead() {
    blocks[head] = null;
    copies[head] = null;
    head = (head + 1) % RING;
    count--;
  }

  private void dropPieces() {
    while (count > 0) {
      Block block = blocks[head];
      if (block != null) {
        block.release();
      }
      removeHead();
    }
    posted = 0;
    room.signalAll();
  }

  /// Continues after the kernel has accepted the awaited bytes.
  void sent() {
    lock.lock();
    try {
      if (count > 0) {
        stageHere();
      } else {
        settleHere();
      }
    } finally {
      lock.unlock();
    }
  }

  private void settleHere() {
    long left = connection.stagedBytes() - connection.sentBytes();
    long waiting = 0;
    for (int i = 0; i < count; i++) {
      waiting += lengths[(head + i) % RING];
    }
    posted = left + waiting;
    room.signalAll();
    if (left > 0) {
      connection.awaitSent(connection.stagedBytes() - (left > LIMIT_BYTES / 4 ? left / 2 : 0));
      return;
    }
    if (posted > 0) {
      return;
    }
    loopSends = false;
    if (shutdownAsked) {
      shutdownAsked = false;
      if (fdToShut >= 0) {
        Sockets.shutdown(fdToShut, Sockets.SHUT_WR);
      }
    }
  }

  // ---- for the loop ---------------------------------------------------------------------------

  /// Returns true if no thread is in the middle of a write.
  boolean isQuiet() {
    return !writing;
  }

  /// Prepares a reply of the loop, which is sent after all output written before. The loop owns the
  /// output until the kernel has accepted all of it.
  ///
  /// @return false if there is no room yet for output written before, in which case input is
  ///   resumed as soon as there is
  boolean startReply() {
    if (count > 0) {
      stageHere();
    }
    replyWaits = count > 0;
    loopSends = true;
    return !replyWaits;
  }

  /// Returns ownership of the output to the application if the loop has no output left.
  void settle() {
    if (loopSends && count == 0 && connection.sentBytes() >= connection.stagedBytes()) {
      loopSends = false;
    }
  }

  /// Drops all output, because the connection has left the loop.
  void gone() {
    gone = true;
    loopSends = false;
    dropPieces();
  }

  // ---- end ------------------------------------------------------------------------------------

  /// Ends the stream after everything that was written.
  void shutdown(int fd) {
    if (outputShut) {
      return;
    }
    outputShut = true;
    if (loopSends || writing) {
      shutdownAsked = true;
      fdToShut = fd;
      post();
    } else {
      Sockets.shutdown(fd, Sockets.SHUT_WR);
    }
    room.signalAll();
  }

  /// Prepares for the application's descriptor to be closed.
  ///
  /// @param resets true if nothing more is to be sent
  void close(int fd, boolean resets) {
    closed = true;
    fdToShut = -1;
    dropCurrent();
    if (resets) {
      dropPieces();
    } else if (!loopSends && !outputShut) {
      Sockets.shutdown(fd, Sockets.SHUT_WR);
    }
    loop.execute(resets ? connection::abort : this::endHere);
    room.signalAll();
  }

  private boolean hasPieces() {
    lock.lock();
    try {
      return count > 0;
    } finally {
      lock.unlock();
    }
  }

  private void endHere() {
    stageHere();
    if (!connection.isOpen()) {
      return;
    }
    if (hasPieces()) {
      owner.later(this::endHere);
      return;
    }
    if (connection.sentBytes() >= connection.stagedBytes()) {
      connection.abort(); // as close(2) does
    } else {
      connection.close();
    }
  }
}
