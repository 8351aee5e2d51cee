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

/// What an application sends, in the order in which it was written. Guarded by the lock of its
/// [SharedStream]; the methods that end in `Here` run on the loop's thread.
///
/// ```
/// DIRECT ──the socket is full, a view is handed over, an interruptlet answers──▶ LOOP
///    ▲                                                                            │
///    └──────────────────── the kernel has taken all of it ────────────────────────┘
/// ```
///
/// A buffer is filled by one reservation after the other; what lies side by side leaves as one
/// piece.
///
/// Limits: with [#LIMIT_BYTES] bytes or [#PIECES] pieces on the way a write waits, and a
/// reservation is refused. With a write and a reservation more that is what a loop queues before an
/// interruptlet sees no more input. Where the loop's memory for output is short, pieces wait here.
final class SendQueue {
  static final int LIMIT_BYTES = 128 << 10;
  static final int PIECES = 64;

  /// One for the reservation that was granted before the limit was reached, one for its writer.
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

  /// Bytes that were given to the loop, and that the kernel has not taken.
  private long posted;

  /// The buffer that reservations are made in, from `filled` on.
  private SendPool.@Nullable SendBuffer current;

  private int filled;
  private boolean reserved;

  private boolean staging;

  /// The loop looks again in a moment whether there is room.
  private boolean retrying;

  /// An interruptlet's reply comes behind pieces that find no room.
  private boolean replyWaits;

  private boolean loopSends;
  private boolean writing;

  /// Bytes handed over while a write was under way come behind it.
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

  /// A buffer with room for a reservation, from [#reservedAt] on.
  ///
  /// @return null when there is none; else with a lease, the caller's
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

  /// Sends the first bytes of a reservation. The caller's lease passes to this.
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
        block.release(); // the piece has one
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
          retry(); // what is staged must be kept when peers do not read
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

  /// The loop's memory for output is short, or this connection has its share: peers must read
  /// first.
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

  /// The kernel has taken what was waited for.
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

  /// Whether no thread is in the middle of a write.
  boolean isQuiet() {
    return !writing;
  }

  /// The loop replies, behind all that was written: the output is its own until the kernel has
  /// taken all of it.
  ///
  /// @return false when what was written finds no room yet; input is resumed when it has
  boolean startReply() {
    if (count > 0) {
      stageHere();
    }
    replyWaits = count > 0;
    loopSends = true;
    return !replyWaits;
  }

  /// Nothing of the loop's may be left.
  void settle() {
    if (loopSends && count == 0 && connection.sentBytes() >= connection.stagedBytes()) {
      loopSends = false;
    }
  }

  /// The connection has left the loop.
  void gone() {
    gone = true;
    loopSends = false;
    dropPieces();
  }

  // ---- end ------------------------------------------------------------------------------------

  /// Ends the stream behind what was written.
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

  /// The application's descriptor is about to be closed.
  ///
  /// @param resets nothing more is sent
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
      connection.abort(); // as close(2)
    } else {
      connection.close();
    }
  }
}
