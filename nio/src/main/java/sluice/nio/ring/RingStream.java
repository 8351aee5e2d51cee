package sluice.nio.ring;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.ReceiveEnd;
import sluice.loop.uring.ReceiveArena;
import sluice.nio.channels.SluiceSocketChannel;
import sluice.nio.channels.StreamPort;
import sluice.nio.descriptors.ByteMover;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.Sockets;

/// A port for a connected stream on a ring. It holds bytes that were received in advance and bytes
/// to be sent in the next turn. Readers hold the channel's read lock and writers hold its write
/// lock. Completions are handled on the ring's thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `ended`, `error` | ring's thread | volatile | volatile |
/// | `stage`, `stagedBytes`, `sendError` | writers | under the write lock | the same |
/// | `spare` | the closing thread | plain | plain |
/// | `finAfterStaged` | writers, ring's thread | volatile | volatile, under the write lock |
/// | `inDirty`, `sendFailed` | ring's thread | plain | plain |
/// | `submitted` | ring's thread | volatile: the kernel may be looking at `stage` | volatile, under the write lock to set |
/// | `full` | writers, ring's thread | volatile | volatile |
/// | `bulk`, `waiting` | readers, ring's thread | volatile | volatile |
/// | `watching` | ring's thread | plain | plain |
/// | `receiving` | ring's thread | volatile | volatile |
/// | `shortReads` | readers | under the read lock | the same |
///
/// Limits: a channel that holds [#HELD_LIMIT] bytes or is not being read receives no more until it
/// is read. After a channel has received [#BULK] bytes at once, it is only watched and is read from
/// the socket directly, because an extra copy of that size costs more than a system call. After a
/// few short reads it receives in advance again. When the ring's memory is low, or the ring
/// releases the channel, its bytes are moved to private memory. At most [StagePool#BYTES] are
/// staged, and only the ring's owner defers them to a turn.
final class RingStream extends RingPort implements StreamPort {
  /// The number of held bytes at which receiving stops. A single turn may exceed the limit.
  static final int HELD_LIMIT = 64 << 10;

  /// The receive size at which reading from the socket directly becomes cheaper.
  private static final int BULK = 32 << 10;

  /// The number of consecutive short reads after which bulk mode ends.
  private static final int SHORT_READS = 8;

  private final SluiceSocketChannel channel;

  private final HeldBytes held = new HeldBytes();
  private volatile boolean ended;
  private volatile int error;
  private int emptyReads;

  /// True if the socket is watched and read directly.
  private volatile boolean bulk;

  /// True if the armed operation only watches for readiness.
  private boolean watching;

  /// True if the kernel may be receiving for the ring concurrently with a reader.
  private volatile boolean receiving;

  /// True if the watched socket is readable.
  private volatile boolean waiting;

  private int shortReads;

  /// The offset of the staged bytes in the region, or -1 if there are none.
  private int stage = -1;

  private int stagedBytes;
  private boolean inDirty;
  private int sendError;
  private boolean sendFailed;

  /// True if the channel has shut down its output, but the socket has not because unsent bytes
  /// remain.
  private volatile boolean finAfterStaged;

  private volatile boolean submitted;
  private volatile boolean full;

  /// A duplicate descriptor for bytes of a writer that is blocked during the close, or -1.
  private int spare = -1;

  /// True if the socket is known to accept bytes, because it accepted some or was polled.
  private volatile boolean proven;

  private RingStream(SelectorRing ring, NioKey key, int slot, SluiceSocketChannel channel) {
    super(ring, key, slot, ring.generation(slot));
    this.channel = channel;
  }

  /// Moves a channel to a ring. Called by the ring's owner. This method acquires both of the
  /// channel's locks, because a thread that is about to read or write would bypass the ring.
  ///
  /// @return the port, or null if another thread is using the channel or it is not suitable
  static @Nullable RingStream join(SelectorRing ring, NioKey key, SluiceSocketChannel channel) {
    ChannelCore core = channel.core();
    if (!core.reads.lock.tryLock()) {
      return null;
    }
    try {
      if (!core.writes.lock.tryLock()) {
        return null;
      }
      try {
        return joinLocked(ring, key, channel);
      } finally {
        core.writes.lock.unlock();
      }
    } finally {
      core.reads.lock.unlock();
    }
  }

  private static @Nullable RingStream joinLocked(
      SelectorRing ring, NioKey key, SluiceSocketChannel channel) {
    if (!channel.isForRing()
        || (channel.port() instanceof RingStream before && !before.isSpent())
        || !channel.unsetNonBlocking()) {
      return null;
    }
    RingStream stream = new RingStream(ring, key, ring.takeSlot(), channel);
    ring.put(stream);
    channel.port(stream);
    return stream;
  }

  // ---- receiving, on the ring's thread --------------------------------------------------------

  @Override
  void arm() {
    int interest = key.isValid() ? key.interest() : 0;
    if ((interest & SelectionKey.OP_READ) != 0 && !armed && hasRoom() && !waiting) {
      armed = true;
      cancelling = false;
      watching = bulk;
      receiving = !watching;
      int fd = channel.core().fd();
      long token = token(RingOperation.RECEIVE);
      if (watching) {
        ring.submission().pollAdd(fd, PollFds.POLLIN, false, token);
      } else {
        ring.submission().receiveMultishot(fd, false, ReceiveArena.GROUP, token);
      }
    }
    if ((interest & SelectionKey.OP_WRITE) != 0 || stagedBytes > 0) {
      armPoll();
    }
  }

  /// Returns true if more bytes may be received.
  private boolean hasRoom() {
    return held.bytes() < HELD_LIMIT && !held.isMoved() && !ended && error == 0;
  }

  private void armPoll() {
    if ((full || !proven) && !pollArmed) {
      pollArmed = true;
      ring.submission()
          .pollAdd(channel.core().fd(), PollFds.POLLOUT, false, token(RingOperation.WRITABLE));
    }
  }

  @Override
  boolean needsUpdate(int interest) {
    return (interest & SelectionKey.OP_WRITE) != 0
        || ((interest & SelectionKey.OP_READ) != 0 && (!armed || readable()));
  }

  @Override
  void complete(int operation, int result, int flags, long part) {
    switch (operation) {
      case RingOperation.RECEIVE -> received(result, flags, part);
      case RingOperation.SEND -> sent(result);
      default -> {
        pollArmed = false;
        full = false;
        proven = true;
        if (attached && !inDirty && stagedBytes > 0) {
          boolean _ = again();
        }
      }
    }
  }

  private void received(int result, int flags, long part) {
    if (Completion.hasChunk(flags)) {
      held.push(part, attached);
      if (result >= BULK) {
        bulk = true;
      }
    }
    if (!Completion.hasMore(flags)) {
      armed = false;
      cancelling = false;
      receiving = false; // after the bytes: a reader that sees it finds them
    }
    if (Completion.hasChunk(flags)) {
      if (!armed) {
        ring.touch(this);
      } else if (bulk || !hasRoom() || !key.isValid()) {
        ring.stop(this); // not for a lack of interest, which comes back with the next request
      }
    } else if (watching && result >= 0) {
      waiting = attached;
    } else {
      receiveEnded(result);
    }
    if (!attached) {
      channel.core().reads.wake();
    }
  }

  private void receiveEnded(int result) {
    switch (ReceiveEnd.of(result)) {
      case OF_STREAM -> ended = true;
      case STARVED -> ring.starved(this);
      case FAILED -> error = -result;
      case NONE, PASSING -> ring.touch(this); // it may be wanted again since
    }
  }

  /// Moves held bytes out of the ring's memory, which is low. Called on the ring's thread.
  void relieve() {
    held.move();
  }

  // ---- reading --------------------------------------------------------------------------------

  @Override
  public int take(ByteBuffer to) {
    if (held.bytes() == 0) {
      return 0;
    }
    int n = held.take(to);
    boolean drained = held.bytes() == 0;
    emptyReads = 0;
    if (drained && attached && !armed && n > 0) {
      ring.request(this); // receiving had stopped
    }
    return n;
  }

  @Override
  public int receive(MemorySegment segment, long at, int length) {
    int errno = error; // looked at before the bytes, which came before it
    boolean end = ended;
    if (held.bytes() > 0) {
      return take(segment.asSlice(at, length).asByteBuffer());
    }
    if (errno != 0) {
      return -errno;
    }
    if (end) {
      return ByteMover.EOF;
    }
    if (!attached) {
      return receiveDetached(segment, at, length);
    }
    return receiveUnseen(segment, at, length);
  }

  /// Receives when no bytes are held. While no turn is running, the ring receives nothing from the
  /// kernel, so a reader that retries is served by the socket directly.
  private int receiveUnseen(MemorySegment segment, long at, int length) {
    if (armed && ring.isOwner() && emptyReads++ == 0) {
      return -Errno.EAGAIN;
    }
    int n;
    if (isReadersOwn()) {
      n = receiveDetached(segment, at, length);
    } else if (ring.tryLockTurn()) {
      try {
        n = receiveDetached(segment, at, length);
      } finally {
        ring.unlockTurn();
      }
    } else {
      return -Errno.EAGAIN; // the turn that runs will bring it
    }
    if (n > 0) {
      emptyReads = 0;
    }
    if (bulk) {
      shortReads = n < BULK / 2 ? shortReads + 1 : 0;
      bulk = shortReads < SHORT_READS;
    }
    if (waiting) {
      watchAgain();
    }
    return n;
  }

  /// Returns true if the ring does not receive and will not do so before a reader has reset `bulk`
  /// or `waiting`. Since there is only one reader at a time, turns need not be excluded in this
  /// state, and a sleeping turn would deliver nothing.
  private boolean isReadersOwn() {
    return (bulk || waiting) && !receiving;
  }

  /// Watches the socket again if the key has an interest. Otherwise the next interest does so.
  private void watchAgain() {
    waiting = false;
    if ((key.interest() & SelectionKey.OP_READ) == 0) {
      return;
    }
    if (ring.isOwner()) {
      ring.touch(this);
    } else if (attached) {
      ring.request(this);
    }
  }

  /// Receives after the ring has released the channel. The ring's bytes precede the socket's bytes.
  private int receiveDetached(MemorySegment segment, long at, int length) {
    if (hasReceived()) {
      return receive(segment, at, length);
    }
    return channel.transfers().receiveHere(segment, at, length);
  }

  @Override
  public int heldBytes() {
    return held.bytes();
  }

  @Override
  public boolean readable() {
    return waiting || hasReceived();
  }

  private boolean hasReceived() {
    return held.bytes() > 0 || ended || error != 0;
  }

  @Override
  public int readyHere() {
    return readyOps();
  }

  @Override
  int readyOps() {
    int readable = readable() ? SelectionKey.OP_READ : 0;
    boolean room = proven && !full; // what is staged goes with the next turn
    boolean shut = attached ? !channel.isOutputOpen() : finAfterStaged; // a write tells the end
    boolean writable = shut || (attached && room);
    return readable | (writable ? SelectionKey.OP_WRITE : 0);
  }

  // ---- writing --------------------------------------------------------------------------------

  @Override
  public boolean stage(ByteBuffer from) {
    int length = from.remaining();
    if (length == 0 || length > StagePool.BYTES || !attached) {
      return false;
    }
    if (submitted) {
      ring.awaitSends();
    }
    if (full || sendError != 0 || !fits(length)) {
      return false;
    }
    RingMemory.bytes().put(stage + stagedBytes, from, from.position(), length);
    from.position(from.position() + length);
    stagedBytes += length;
    if (ring.isOwner() && ring.staging()) {
      leaveToTurn();
    } else if (!flush()) {
      Flusher.finishLater(this);
    }
    if (sendError != 0) {
      from.position(from.position() - length);
      return false; // so that this write tells
    }
    return true;
  }

  private void leaveToTurn() {
    if (!inDirty) {
      inDirty = true;
      ring.dirty(this);
    }
    if (!attached) {
      boolean _ = flush(); // taken away in this moment, by a thread that has not seen these bytes
    }
  }

  @Override
  public int send(MemorySegment segment, long at, int length) {
    if (submitted) {
      ring.awaitSends();
    }
    if (sendError != 0) {
      return -sendError;
    }
    if (stagedBytes > 0 && !flush()) {
      return sendError != 0 ? -sendError : -Errno.EAGAIN;
    }
    int n = channel.transfers().sendHere(segment, at, length);
    if (n < length && (n >= 0 || n == -Errno.EAGAIN)) {
      fill();
    } else {
      proven = true;
    }
    return n;
  }

  private boolean fits(int length) {
    if (stagedBytes + length > StagePool.BYTES) {
      return false;
    }
    if (stage < 0) {
      stage = ring.stages().take();
    }
    return stage >= 0;
  }

  /// Records that the socket accepts no more bytes, so the selector must detect when it does again.
  private void fill() {
    full = true;
    if (attached) {
      ring.request(this);
    }
  }

  /// Submits staged bytes with the turn that is starting. Called on the ring's thread.
  ///
  /// @return true if a send was staged
  boolean stageSend() {
    inDirty = false;
    if (!channel.core().writes.lock.tryLock()) {
      return again(); // a writer is at work and sends what is staged first
    }
    try {
      if (stagedBytes == 0 || !attached || full) {
        return false;
      }
      submitted = true;
      ring.send(this, channel.core().fd(), stage, stagedBytes);
      return true;
    } finally {
      channel.core().writes.lock.unlock();
    }
  }

  private boolean again() {
    inDirty = true;
    ring.dirtyAgain(this);
    return false;
  }

  private void sent(int result) {
    sendFailed = true;
    if (result >= 0 || NetErrors.again(result)) {
      remove(Math.max(0, result));
      full = true;
    } else {
      sendError = -result;
      remove(stagedBytes);
    }
  }

  /// Completes the send after the ring has entered the kernel. The absence of a completion means
  /// success. Called on the ring's thread.
  void settleSend() {
    if (!sendFailed) {
      remove(stagedBytes);
      proven = true;
    }
    sendFailed = false;
    if (full && attached) {
      ring.touch(this);
    }
    finishOutput();
    submitted = false;
    if (full && !attached) {
      Flusher.finishLater(this);
    }
  }

  private void remove(int sent) {
    int left = stagedBytes - sent;
    if (left > 0 && sent > 0) {
      MemorySegment region = RingMemory.region();
      MemorySegment.copy(region, stage + sent, region, stage, left);
    }
    stagedBytes = left;
    if (left == 0 && stage >= 0) {
      ring.stages().giveBack(stage);
      stage = -1;
    }
  }

  @Override
  public boolean flush() {
    if (submitted) {
      ring.awaitSends();
    }
    if (stagedBytes > 0) {
      int n = channel.transfers().sendHere(RingMemory.region(), stage, stagedBytes);
      if (n >= 0) {
        remove(n);
      } else if (!NetErrors.again(n)) {
        sendError = -n;
        remove(stagedBytes);
      }
      if (stagedBytes > 0) {
        fill();
      }
    }
    finishOutput();
    return stagedBytes == 0;
  }

  private void finishOutput() {
    if (finAfterStaged && stagedBytes == 0) {
      finAfterStaged = false;
      int _ = Sockets.shutdown(channel.core().fd(), Sockets.SHUT_WR);
    }
  }

  @Override
  public boolean flushBeforeShutdown() {
    boolean done = flush();
    finAfterStaged = !done;
    if (!done) {
      Flusher.finishLater(this);
      key.readyWithoutKernel(); // the kernel hears of the end when all is sent
    }
    return done;
  }

  /// Sends bytes that have been staged for too long, unless a writer or the ring is sending.
  ///
  /// @return true if no staged bytes remain
  boolean flushStale() {
    ChannelCore core = channel.core();
    if (!core.writes.lock.tryLock()) {
      return false;
    }
    try {
      core.enterBlocking(); // the descriptor is not closed meanwhile
      try {
        return submitted || flush();
      } finally {
        core.leaveBlocking();
      }
    } catch (ClosedChannelException closed) {
      return true; // the closing thread sends the rest
    } finally {
      core.writes.lock.unlock();
    }
  }

  // ---- letting go -----------------------------------------------------------------------------

  @Override
  void detached() {
    held.move();
    waiting = false; // the next reader asks the socket
    if (hasStaged()) {
      Flusher.finishLater(this);
    }
    key.moved();
  }

  /// Returns true if bytes may be staged, including bytes of a writer that is currently active.
  private boolean hasStaged() {
    if (!channel.core().writes.lock.tryLock()) {
      return true;
    }
    try {
      return stagedBytes > 0;
    } finally {
      channel.core().writes.lock.unlock();
    }
  }

  /// Returns true if the channel no longer needs this ring. The caller holds the write lock.
  boolean isSpent() {
    return !attached && !hasReceived() && !submitted && stagedBytes == 0 && sendError == 0;
  }

  @Override
  public void release() {
    boolean _ = ring.detach(this);
  }

  @Override
  public void beforeClose() {
    ReentrantLock writes = channel.core().writes.lock;
    int fd = channel.core().fd();
    boolean left = false;
    if (lockForClosing(writes)) {
      try {
        left = !flush() && leaveToFlusher(Files.duplicate(fd));
      } finally {
        writes.unlock();
      }
    } else {
      spare = Files.duplicate(fd);
    }
    boolean alone = ring.detach(this);
    boolean unread = held.bytes() > 0;
    if (left || (spare >= 0 && !unread)) { // ended when all is sent
    } else if (unread && alone) {
      reset(fd);
    } else if (!alone) {
      finishPinned(fd, unread);
    }
  }

  /// Tries to acquire the lock for closing. The lock may be unavailable because of a blocked
  /// writer, and an interrupted writer waits until this thread has closed the channel.
  ///
  /// @return true if the lock was acquired
  private boolean lockForClosing(ReentrantLock writes) {
    if (!channel.isBlocking()) {
      writes.lock();
      return true;
    }
    return writes.tryLock();
  }

  @Override
  public void closed() {
    ReentrantLock writes = channel.core().writes.lock;
    boolean locked = lockForClosing(writes);
    try { // without the lock too: the thread that has it has left the channel
      if (submitted) {
        ring.awaitSends();
      }
      if (spare >= 0 && stagedBytes > 0) {
        boolean _ = leaveToFlusher(spare);
      } else if (spare >= 0) {
        int _ = Sockets.shutdown(spare, Sockets.SHUT_RDWR); // a ring may still keep the socket open
        Files.close(spare);
      }
      remove(stagedBytes);
    } finally {
      if (locked) {
        writes.unlock();
      }
    }
    held.drop(); // not before: a reader that was inside would have read on from the socket
  }

  /// Passes the remaining bytes to the flusher, which sends them on its own descriptor.
  ///
  /// @param copy a duplicate of the channel's descriptor, or a negative number if none was
  ///   available
  /// @return true if there is a duplicate
  private boolean leaveToFlusher(int copy) {
    if (copy >= 0) {
      byte[] rest = new byte[stagedBytes];
      RingMemory.bytes().get(stage, rest);
      Flusher.finish(copy, rest);
    }
    remove(stagedBytes);
    return copy >= 0;
  }

  /// Makes the close reset the connection, as the kernel does if received bytes were never read.
  static void reset(int fd) {
    try {
      Sockets.linger(fd, 0);
    } catch (sluice.sys.SysException notConnected) {
      // Ignored, because the connection is already closed.
    }
  }

  /// Terminates a connection while the ring holds its file until the next turn.
  private void finishPinned(int fd, boolean unread) {
    MemorySegment one = java.lang.foreign.Arena.ofAuto().allocate(1);
    int peek = Sockets.MSG_PEEK | Sockets.MSG_DONTWAIT;
    boolean abort = unread || Sockets.recv(fd, one, 0, 1, peek) > 0;
    try {
      abort |= Sockets.linger(fd) == 0;
    } catch (sluice.sys.SysException notConnected) {
      return;
    }
    int _ = abort ? Sockets.disconnect(fd) : Sockets.shutdown(fd, Sockets.SHUT_RDWR);
  }

  SluiceSocketChannel channel() {
    return channel;
  }
}
