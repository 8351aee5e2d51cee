package sluice.nio;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import sluice.loop.Completion;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.Sockets;

/// A connected stream on a ring: bytes that were received ahead, and bytes that wait to be sent
/// with the next turn. Readers hold the channel's read lock, writers its write lock; completions
/// come on the ring's thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `held`, `head`, `count`, `offset`, `spilled`, `ended`, `error` | readers, ring's thread | under this object's lock | the same |
/// | `heldBytes` | readers, ring's thread | volatile | under this object's lock |
/// | `stage`, `stagedBytes`, `sendError` | writers | under the write lock | the same |
/// | `inDirty`, `sendFailed` | ring's thread | plain | plain |
/// | `submitted` | ring's thread | volatile: the kernel may be looking at `stage` | volatile, under the write lock to set |
/// | `full` | writers, ring's thread | volatile | volatile |
///
/// Limits: a channel that holds [#HELD_LIMIT] bytes, or that nobody wants to read from, receives no
/// more until it is read; when chunks are short its bytes move to memory of its own. At most
/// [StagePool#BYTES] are staged, and left to a turn only by the ring's owner.
final class RingStream extends RingPort implements StreamPort {
  /// Where receiving stops, in bytes. What one turn brings may exceed it.
  static final int HELD_LIMIT = 64 << 10;

  private static final byte[] NOTHING = {};

  private final SluiceSocketChannel channel;

  /// Chunks in order: index in the upper half, length in the lower; and their blocks.
  private long[] held = new long[4];

  private int head;
  private int count;

  /// Bytes of the first chunk that were read.
  private int offset;

  /// What came before the chunks and was moved out of the arena.
  private byte[] spilled = NOTHING;

  private int spillStart;
  private int spillEnd;

  private volatile int heldBytes;
  private volatile boolean ended;
  private volatile int error;
  private int emptyReads;

  private long stage = -1;
  private int stagedBytes;
  private boolean inDirty;
  private int sendError;
  private boolean sendFailed;
  private boolean finAfterStaged;
  private volatile boolean submitted;
  private volatile boolean full;

  /// Whether the kernel has shown that it takes bytes: by taking some, or by a poll.
  private volatile boolean proven;

  private RingStream(SelectorRing ring, NioKey key, int slot) {
    super(ring, key, slot, ring.generation(slot));
    this.channel = (SluiceSocketChannel) key.channel();
  }

  /// Gives a connected channel to a ring. The ring's owner, which holds both of the channel's
  /// locks.
  static RingStream attach(SelectorRing ring, NioKey key) {
    RingStream stream = new RingStream(ring, key, ring.takeSlot());
    ring.put(stream);
    stream.channel.port(stream);
    return stream;
  }

  // ---- receiving, on the ring's thread --------------------------------------------------------

  @Override
  void arm() {
    int interest = key.isValid() ? key.interest() : 0;
    if ((interest & SelectionKey.OP_READ) != 0 && !armed && hasRoom()) {
      armed = true;
      cancelling = false;
      ring.submission()
          .receiveMultishot(channel.core().fd(), false, RingArena.GROUP, token(RingToken.RECEIVE));
    }
    if ((interest & SelectionKey.OP_WRITE) != 0 || stagedBytes > 0) {
      armPoll();
    }
  }

  /// Whether more may be received.
  private boolean hasRoom() {
    return heldBytes < HELD_LIMIT && spillEnd == 0 && !ended && error == 0;
  }

  private void armPoll() {
    if ((full || !proven) && !pollArmed) {
      pollArmed = true;
      ring.submission()
          .pollAdd(channel.core().fd(), PollFds.POLLOUT, false, token(RingToken.WRITABLE));
    }
  }

  @Override
  boolean needsUpdate(int interest) {
    return (interest & SelectionKey.OP_WRITE) != 0
        || ((interest & SelectionKey.OP_READ) != 0 && (!armed || readable()));
  }

  @Override
  void complete(int operation, int result, int flags) {
    switch (operation) {
      case RingToken.RECEIVE -> received(result, flags);
      case RingToken.SEND -> sent(result);
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

  private void received(int result, int flags) {
    if (!Completion.hasMore(flags)) {
      armed = false;
      cancelling = false;
    }
    if (Completion.hasChunk(flags)) {
      push(Completion.chunk(flags), Math.max(0, result));
      if (!armed) {
        ring.touch(this);
      } else if (!hasRoom() || !key.isValid()) {
        ring.stop(this); // not for a lack of interest, which comes back with the next request
      }
    } else if (result == 0) {
      end(0);
    } else if (result == -Errno.ENOBUFS) {
      ring.starved(this);
    } else if (result < 0 && result != -Errno.ECANCELED && !NetErrors.again(result)) {
      end(-result);
    } else {
      ring.touch(this); // it may be wanted again since
    }
    if (!attached) {
      channel.core().reads.wake();
    }
  }

  private synchronized void end(int errno) {
    ended = errno == 0;
    error = errno;
  }

  private void push(int chunk, int length) {
    synchronized (this) {
      if (ring.arena().isLow() || spillEnd > 0) {
        spill(chunk, length);
      } else {
        if (count == held.length) {
          long[] grown = new long[2 * count];
          for (int i = 0; i < count; i++) {
            grown[i] = held[(head + i) & (count - 1)];
          }
          held = grown;
          head = 0;
        }
        held[(head + count++) & (held.length - 1)] = (long) chunk << 32 | length;
      }
      heldBytes += length;
    }
  }

  /// Moves everything that is held, and one chunk more, out of the arena.
  private void spill(int more, int length) {
    int need = heldBytes + length;
    if (spilled.length - spillEnd < need) {
      byte[] larger = new byte[Math.max(2 * need, 2 * spilled.length)];
      System.arraycopy(spilled, spillStart, larger, 0, spillEnd - spillStart);
      spillEnd -= spillStart;
      spillStart = 0;
      spilled = larger;
    }
    while (count > 0) {
      int part = (int) held[head] - offset;
      int chunk = (int) (held[head] >>> 32);
      ring.arena().bytes().get(chunk * RingArena.CHUNK_BYTES + offset, spilled, spillEnd, part);
      spillEnd += part;
      offset = 0;
      dropFirst(chunk);
    }
    ring.arena().bytes().get(more * RingArena.CHUNK_BYTES, spilled, spillEnd, length);
    spillEnd += length;
    ring.arena().block(more).release();
  }

  private void dropFirst(int chunk) {
    head = (head + 1) & (held.length - 1);
    count--;
    ring.arena().block(chunk).release();
  }

  // ---- reading --------------------------------------------------------------------------------

  @Override
  public int take(ByteBuffer to) {
    if (heldBytes == 0) {
      return 0;
    }
    int n;
    boolean drained;
    synchronized (this) {
      n = copyHeld(to);
      drained = heldBytes == 0;
    }
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
    if (heldBytes > 0) {
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

  /// Copies what is held, and moves the buffer's position. Under this object's lock.
  private int copyHeld(ByteBuffer to) {
    int length = to.remaining();
    int position = to.position();
    int done = 0;
    if (spillEnd > 0) {
      done = Math.min(length, spillEnd - spillStart);
      to.put(position, spilled, spillStart, done);
      spillStart += done;
      if (spillStart == spillEnd) {
        spilled = NOTHING;
        spillStart = 0;
        spillEnd = 0;
      }
    }
    while (count > 0 && done < length) {
      long first = held[head];
      int chunk = (int) (first >>> 32);
      int part = Math.min(length - done, (int) first - offset);
      int from = chunk * RingArena.CHUNK_BYTES + offset;
      to.put(position + done, ring.arena().bytes(), from, part);
      done += part;
      offset += part;
      if (offset == (int) first) {
        offset = 0;
        dropFirst(chunk);
      }
    }
    to.position(position + done);
    int held = heldBytes; // written under the lock, read without
    heldBytes = held - done;
    return done;
  }

  /// Nothing is held. While no turn runs, what the kernel has is not on its way to us: whoever asks
  /// twice is answered by the socket itself.
  private int receiveUnseen(MemorySegment segment, long at, int length) {
    if (armed && ring.isOwner() && emptyReads++ == 0) {
      return -Errno.EAGAIN;
    }
    if (!ring.tryLockTurn()) {
      return -Errno.EAGAIN; // the turn that runs will bring it
    }
    try {
      return receiveDetached(segment, at, length);
    } finally {
      ring.unlockTurn();
    }
  }

  /// Nothing more comes from the ring: what it had brought first, then the socket's.
  private int receiveDetached(MemorySegment segment, long at, int length) {
    if (readable()) {
      return receive(segment, at, length);
    }
    return channel.transfers().receiveHere(segment, at, length);
  }

  @Override
  public int heldBytes() {
    return heldBytes;
  }

  @Override
  public boolean readable() {
    return heldBytes > 0 || ended || error != 0;
  }

  @Override
  public int readyHere() {
    return readyNow();
  }

  @Override
  int readyNow() {
    int readable = readable() ? SelectionKey.OP_READ : 0;
    boolean writable = attached && proven && !full; // what is staged goes with the next turn
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
    ring.stages().bytes().put((int) stage + stagedBytes, from, from.position(), length);
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

  /// The kernel takes no more: the selector must hear when it does.
  private void fill() {
    full = true;
    if (attached) {
      ring.request(this);
    }
  }

  /// Hands staged bytes to the turn that begins. The ring's thread.
  ///
  /// @return whether a send was staged
  boolean stageSend() {
    inDirty = false;
    if (!channel.core().writes.lock.tryLock()) {
      return again(); // somebody is writing and sends what is staged first
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

  /// The turn's crossing is over: silence was success. The ring's thread.
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
      MemorySegment region = ring.stages().region();
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
      int n = channel.transfers().sendHere(ring.stages().region(), stage, stagedBytes);
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
    }
    return done;
  }

  /// Sends what has waited too long, unless a writer or the ring is at it.
  ///
  /// @return whether nothing is staged any more
  boolean flushStale() {
    if (!channel.core().writes.lock.tryLock()) {
      return false;
    }
    try {
      return submitted || !channel.isOpen() || flush();
    } finally {
      channel.core().writes.lock.unlock();
    }
  }

  // ---- letting go -----------------------------------------------------------------------------

  @Override
  void detached() {
    if (hasStaged()) {
      Flusher.finishLater(this);
    }
    key.moved();
  }

  /// Whether bytes may be staged: a writer at work may stage some at this moment.
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

  /// Whether the channel has nothing more to do with this ring. Holder of the write lock.
  boolean isSpent() {
    return !attached && !readable() && !submitted && stagedBytes == 0 && sendError == 0;
  }

  @Override
  public void release() {
    boolean _ = ring.detach(this);
  }

  @Override
  public void beforeClose() {
    SluiceSocketChannel closing = channel;
    // a blocked writer would keep us out, and sends what is staged itself
    boolean locked = closing.core().writes.lock.tryLock();
    if (!locked && !closing.isBlocking()) {
      closing.core().writes.lock.lock();
      locked = true;
    }
    boolean left = false;
    if (locked) {
      try {
        left = !flush() && leaveToFlusher();
      } finally {
        closing.core().writes.lock.unlock();
      }
    }
    boolean alone = ring.detach(this);
    int fd = closing.core().fd();
    boolean unread = heldBytes > 0;
    if (left) { // the flusher ends the connection when they are sent
    } else if (unread && alone) {
      reset(fd);
    } else if (!alone) {
      finishPinned(fd, unread);
    }
    synchronized (this) {
      while (count > 0) {
        dropFirst((int) (held[head] >>> 32));
      }
      heldBytes = 0;
      spilled = NOTHING;
      spillEnd = 0;
    }
  }

  /// The rest goes out after the channel is closed, by a descriptor of the flusher's.
  ///
  /// @return whether there was a descriptor left for that
  private boolean leaveToFlusher() {
    int copy = Files.duplicate(channel.core().fd());
    if (copy >= 0) {
      byte[] rest = new byte[stagedBytes];
      MemorySegment.copy(
          ring.stages().region(), stage, MemorySegment.ofArray(rest), 0, stagedBytes);
      Flusher.finish(copy, rest);
    }
    remove(stagedBytes);
    return copy >= 0;
  }

  /// As the kernel does when bytes were received that nobody has read.
  static void reset(int fd) {
    try {
      Sockets.linger(fd, 0);
    } catch (sluice.sys.SysException notConnected) {
      // the peer has gone
    }
  }

  /// The ring still has the file, until its thread turns again: what closing would do is done here.
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
