package sluice.loop;

import java.net.SocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Token;
import sluice.loop.engine.Transport;
import sluice.loop.sockets.KernelEnd;
import sluice.loop.tls.TlsContext;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.memory.block.Block;
import sluice.sys.Errno;
import sluice.sys.Files;

/// A connection: an accepted socket with its state, its deadline and its operations for protocols.
/// Owned by the loop's thread from accept to close; it never changes loop.
///
/// ```
/// OPEN ──close()──▶ CLOSING ──output gone, FIN sent──▶ LINGER ──peer's FIN or time──▶ FINISHED
///   └──abort(), error──────────────────────────────────────────────────────────────────▲
/// ```
///
/// A finished connection stays in the table until nothing is armed or in flight on its socket.
///
/// Received bytes pass through [ConnectionInput], sent bytes through [Output].
public final class Connection extends Endpoint {
  /// The time for which an idle or unfinished connection lingers after our FIN while the loop
  /// drains. It has no reply in flight that a reset could destroy.
  private static final long DRAIN_LINGER_NANOS = 250_000_000L;

  /// A blocked connection checks so often per write timeout whether its peer has taken bytes.
  private static final int LOOKS = 4;

  /// The interval at which a connection that closes as the kernel does checks its peer's progress.
  private static final long END_LOOK_NANOS = 20_000_000L;

  final LoopParts loop;
  final ConnectionParts parts;
  final Protocol protocol;
  final int index;
  final int generation;
  final int socket;
  private final Output output;
  final ConnectionInput input;

  /// The layer between socket and protocol; null without TLS.
  final @Nullable TlsLayer tls;

  private boolean removed;

  /// True if the connection's deadline passed while the loop drained: no request waits for a reply.
  private boolean expiredInDrain;

  /// The value of [#sentBytes] at which the protocol asked to be called.
  private long sentAwaited = Long.MAX_VALUE;

  /// The number of bytes of ciphertext that were unsent when the connection ended.
  private long unsentCiphertext;

  @Nullable ReplyTicket ticket;
  private @Nullable Object attachment;

  /// The kernel-like close in progress, see [#closeAsKernel]; null otherwise.
  @Nullable KernelEnd kernelEnd;

  long protocolDeadlineNanos = NO_DEADLINE;
  private long protocolDelayNanos;

  /// @param tls the TLS context; null for no TLS
  /// @param place the index and generation in the table, as a token
  Connection(
      ConnectionParts parts,
      Protocol protocol,
      @Nullable TlsContext tls,
      Transport transport,
      int socket,
      long place) {
    super(transport);
    this.loop = parts.loop();
    this.parts = parts;
    this.protocol = protocol;
    this.index = Token.index(place);
    this.generation = Token.generation(place);
    this.socket = socket;
    this.output = new Output(loop, this);
    this.input = new ConnectionInput(this);
    this.tls = tls == null ? null : new TlsLayer(loop, this, output, tls);
    if (tls != null) {
      applyProtocolDeadline(); // that of the handshake
    }
  }

  // ---- for protocols ------------------------------------------------------------------------

  /// Returns an executor that runs tasks on the loop's thread, in order. Any thread may call.
  public Executor executor() {
    return loop.tasks();
  }

  /// Returns an executor for tasks that may block, off the loop's thread. Any thread may call.
  public Executor slowPath() {
    return loop.slowPath();
  }

  /// Returns the time at which the loop's turn began its work, by the loop's clock.
  public long now() {
    return loop.turn().now();
  }

  public Output output() {
    return output;
  }

  /// Returns the object that the protocol attached; null before.
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object object) {
    attachment = object;
  }

  /// Returns true if input is still handled: false after [#close], [#abort] or an error.
  public boolean isOpen() {
    return state == State.OPEN && !(tls != null && tls.closeWaits());
  }

  /// Returns true if the peer is connected by TLS.
  public boolean secure() {
    return tls != null;
  }

  /// Returns true if too much output is queued; the protocol then stops consuming and returns.
  public boolean outputFull() {
    return overHighWater() || loop.outputMemory().staging().full();
  }

  /// Returns the number of output bytes that the kernel has taken since the connection was opened.
  /// The value is valid until [Protocol#closed] has returned. With TLS, queued ciphertext is
  /// subtracted as if it were plain text, so the result is slightly low.
  public long sentBytes() {
    long waits = unsentCiphertext;
    if (tls != null && !removed) {
      waits = tls.wire().queuedBytes();
    }
    return Math.max(0, output.takenBytes() - waits);
  }

  /// Returns the value that [#sentBytes] will have once everything staged now has been taken.
  public long stagedBytes() {
    return output.takenBytes() + output.queuedBytes();
  }

  /// Returns true if the peer must read before more of the output is taken.
  public boolean outputBlocked() {
    return sendState.isBlocked();
  }

  /// Calls [Protocol#sent] once when [#sentBytes] has reached a number. There is no call if the
  /// connection ends first. Only the number given last is awaited.
  ///
  /// @param bytes a value of [#stagedBytes]; `Long.MAX_VALUE` for none
  public void awaitSent(long bytes) {
    sentAwaited = bytes;
    if (bytes != Long.MAX_VALUE && sendState == Send.SUBMITTED) {
      loop.turn().settleSoon(); // otherwise only what comes next would end the turn that tells
    }
  }

  /// Defers the message being handled to the slow path: closes the ordering gate until the ticket
  /// completes. At most one message of a connection is deferred at a time.
  public ReplyTicket defer() {
    if (ticket != null) {
      throw new IllegalStateException("a message of this connection is deferred already");
    }
    ReplyTicket made = new ReplyTicket(this);
    ticket = made;
    loop.counters().deferred++;
    return made;
  }

  public boolean deferred() {
    return ticket != null;
  }

  /// Sets whether input belongs to the deferred message, such as the rest of its body. Such input
  /// is shown before the reply, no matter how much output is queued.
  public void feedDeferred(boolean value) {
    input.feedDeferred(value);
  }

  /// Drops all further input. The connection closes once the deferred message has its reply.
  public void refuseInput() {
    input.refuse();
  }

  /// Sets whether [Protocol#received] only takes input and does not reply. Such input is shown no
  /// matter how much output is queued, because a peer in this process may have to read before that
  /// output can leave. Called on the loop's thread.
  public void inputNeedsNoRoom(boolean value) {
    input.needsNoRoom(value);
  }

  /// Holds back all input from the protocol until [#resumeInput], including the rest of the bytes
  /// being handled. For protocols that answer messages in any order without tickets and have
  /// accepted as many as they can answer now. Input that arrives in between is kept; beyond
  /// [LoopConfig#partialBytesPerConnection] receiving stops.
  public void holdInput() {
    input.holdBack();
  }

  /// Shows input again from the next turn on. Does nothing if input is not held.
  public void resumeInput() {
    input.letThrough();
  }

  public boolean inputHeld() {
    return input.heldByProtocol();
  }

  /// Retains bytes of the input being handled beyond the handler's return. Returns a read-only
  /// reference that any thread may use and that its holder must close. The bytes it shows never
  /// change.
  ///
  /// The bytes stay in the chunk where they were received while at least a quarter of the arena is
  /// free and this connection holds no more chunks than [sluice.loop.engine.LeaseLimits] allows;
  /// otherwise they are copied within the same limits. The reference outlives the loop.
  ///
  /// Closing the reference costs tens of microseconds, see [Memory], so it suits large messages and
  /// sharing. Copying into an array is cheaper for a small message that goes to one thread.
  ///
  /// @param input the view given to [Protocol#received]
  /// @param length at least 1
  /// @return null if neither a lease nor a copy is available: the handler should answer that the
  ///   server is busy, or close
  /// @throws IllegalStateException if `input` is not the view given to this connection's handler
  public @Nullable Memory retain(View input, int from, int length) {
    return loop.input().retain(this, leases(loop.config().leases()), input, from, length);
  }

  /// Leases the chunk that the input lies in, while a quarter of the arena is free. A form of
  /// [#retain] that allocates no object, for modules that are trusted with blocks. The caller
  /// counts its leases and releases each.
  ///
  /// @param input the view given to [Protocol#received]
  /// @return null if the arena can spare no chunk, or the input lies in none
  public @Nullable Block lease(View input) {
    return loop.input().lease(this, input);
  }

  /// Returns the offset of the first byte of the input in the block of [#lease].
  public long leaseOffset() {
    return loop.input().offset();
  }

  /// Sets whether the protocol expects long messages and wants to receive them into its own memory
  /// instead of copying them out of chunks: [Protocol#caughtUp] is then called. Does nothing with
  /// TLS or where the transport does not support it.
  public void expectLong(boolean on) {
    input.expectLong(on);
  }

  /// Receives bytes after those the protocol has consumed. Called only in [Protocol#caughtUp].
  ///
  /// @param into a block leased by the caller
  /// @return the number of bytes taken; 0 if none have arrived: the next ones come to
  ///   [Protocol#received]
  /// @throws IllegalStateException if called from anywhere else
  public int receiveInto(Block into, long at, int most) {
    return input.receiveInto(into.segment(), at, most);
  }

  /// Sets whether the next bytes are a preface, which is shown to [Protocol#preface] and not to
  /// TLS. The deadline keeps running: the handshake's with TLS, otherwise the protocol's.
  ///
  /// @param on set in [Protocol#opened]
  public void expectPreface(boolean on) {
    input.preface = on;
  }

  /// Sets the deadline: [Protocol#timedOut] is called unless it is moved or cleared before. The
  /// time runs while the peer is expected to act. It restarts when the output has been sent,
  /// because until then the peer's input may wait for the peer to read.
  ///
  /// @param nanosFromNow the delay; 0 or less clears the deadline
  public void deadline(long nanosFromNow) {
    protocolDelayNanos = nanosFromNow;
    protocolDeadlineNanos = nanosFromNow <= 0 ? NO_DEADLINE : now() + nanosFromNow;
    if (state == State.OPEN && !sendState.isBlocked()) {
      applyProtocolDeadline();
    }
  }

  /// Marks the connection as idle: the protocol waits for the next message. Until bytes of it are
  /// shown, the connection may be closed when the loop has no place for a new one. The connection
  /// that has been idle longest goes first, and its unsent output is sent before. A protocol that
  /// never calls this method keeps its connections.
  public void idle() {
    idleOnceSent = false;
    if (state == State.OPEN && list == null && !leaving) {
      parts.idle().add(this);
    }
  }

  /// Marks the connection as busy: the protocol is shown bytes, or the connection ends.
  void busy() {
    idleOnceSent = false;
    parts.idle().remove(this);
  }

  @Override
  boolean asksForNothing() {
    return state == State.OPEN
        && ticket == null
        && !input.waits()
        && (tls == null || tls.heldBytes() == 0);
  }

  @Override
  boolean allSent() {
    return sendState == Send.IDLE && unsentBytes() == 0;
  }

  @Override
  boolean allSubmitted() {
    return sendState == Send.SUBMITTED && unsentBytes() == submittedBytes;
  }

  /// Sends the staged output, then FIN, then reads and drops what the peer still sends until its
  /// FIN, so that no reset destroys the last reply.
  @Override
  public void close() {
    if (state == State.OPEN && !(tls != null && tls.takesClose())) {
      state = State.CLOSING;
      busy();
      loop.timers().cancel(this);
      input.drop();
      markDirty();
    }
  }

  /// Ends the connection at once and drops the staged output.
  @Override
  public void abort() {
    if (state != State.FINISHED) {
      state = State.FINISHED;
      busy();
      loop.timers().cancel(this);
      input.drop();
      finish();
    }
  }

  /// Shuts down the output side, all sent; input continues. Makes a system call.
  public void shutdownOutput() {
    transport.shutdown(socket, 1);
  }

  /// Ends the connection as `close(2)` does: by FIN, or by a reset if the caller, the loop or the
  /// kernel holds unread bytes. Staged output is sent first, and a reset waits while the peer takes
  /// it. The caller makes sure that `SO_LINGER` is not set to a time, for which the loop would
  /// block. Works only on a transport of the kernel.
  ///
  /// @param unread true if the caller holds bytes that were left unread
  /// @param endsFirst true if FIN is sent before a reset, as with `java.net.Socket`
  public void closeAsKernel(boolean unread, boolean endsFirst) {
    if (state == State.FINISHED) {
      return;
    }
    KernelEnd end = new KernelEnd(transport, socket, endsFirst);
    kernelEnd = end;
    if (unread || input.heldBytes() > 0) {
      end.leftUnread();
    }
    if (allSent()) {
      end.begin();
      abort();
    } else {
      close();
    }
  }

  /// Closes as the kernel does, now or once the peer has taken the sent bytes.
  private void endAsKernel(KernelEnd end) {
    if (end.isDue() || (state == State.LINGER && peerStuck(END_LOOK_NANOS))) {
      end.begin();
      abort();
    } else if (state == State.CLOSING) {
      state = State.LINGER;
      end.endOutput();
      beginPeerTime(now());
      loop.timers().schedule(this, now() + END_LOOK_NANOS);
      input.arm();
    }
  }

  /// Returns the peer's address, or null if the kernel has none. Makes a system call.
  public @Nullable SocketAddress remoteAddress() {
    return transport.remoteAddress(socket);
  }

  /// Duplicates the descriptor of the connection's socket. The caller owns and closes the
  /// duplicate. It stays connected until both are closed or either is shut down. Makes a system
  /// call.
  ///
  /// @return a negative errno if no descriptor is available or the transport is not the kernel's
  public int duplicate() {
    int fd = transport instanceof KernelTransport kernel ? kernel.descriptor(socket) : -1;
    return fd < 0 ? -Errno.EOPNOTSUPP : Files.duplicate(fd);
  }

  // ---- for the loop -------------------------------------------------------------------------

  long token(int op) {
    return Token.of(op, generation, index);
  }

  boolean overHighWater() {
    return output.queuedBytes() > loop.outputRoom().highWaterBytes();
  }

  /// Tells the protocol how the input ended.
  void tellEnd(int leftover) {
    if (tls != null && tls.truncated()) {
      protocol.truncated(this, leftover + tls.heldBytes());
    } else {
      protocol.ended(this, leftover);
    }
  }

  // ---- output -------------------------------------------------------------------------------

  /// Returns the output that goes to the socket: the connection's, or its ciphertext with TLS.
  Output wire() {
    return tls == null ? output : tls.wire();
  }

  /// Returns the number of bytes that the kernel has not taken, plain or encrypted.
  long unsentBytes() {
    return output.queuedBytes() + (tls == null ? 0 : tls.wire().queuedBytes());
  }

  /// Copies the staged output that outlives the turn, see [Output#persist].
  boolean persist(long skipBytes) {
    return wire().persist(skipBytes) && (tls == null || output.persist(0));
  }

  /// Returns true if the end of the current send is awaited, so that the turn should settle soon.
  boolean settlesSoon() {
    ReplyTicket waiting = ticket;
    return state != State.OPEN
        || sentAwaited != Long.MAX_VALUE
        || input.roomAwaited()
        || (waiting != null && waiting.awaitsRoom());
  }

  /// Tells the protocol, if it waits for that, that the kernel has taken output.
  void tellSent() {
    if (idleOnceSent && allSent()) {
      idle();
    }
    if (output.takenBytes() >= sentAwaited && sentBytes() >= sentAwaited) {
      sentAwaited = Long.MAX_VALUE;
      parts.calls().sent(this);
    }
  }

  @Override
  void markDirty() {
    if (!dirty) {
      dirty = true;
      parts.dirty().add(this);
    }
  }

  /// Reacts to the output being fully sent; in state `CLOSING` sends our FIN.
  void outputEmpty() {
    if (state != State.CLOSING) {
      return;
    }
    KernelEnd end = kernelEnd;
    if (end != null) {
      endAsKernel(end);
      return;
    }
    if (input.peerEnded()) {
      abort();
      return;
    }
    state = State.LINGER;
    transport.shutdown(socket, 1);
    loop.timers().schedule(this, now() + loop.config().lingerTimeoutNanos());
    if (expiredInDrain) {
      lingerBriefly(now());
    }
    input.arm();
  }

  /// Shortens the wait for the peer's FIN to that of an idle connection of a draining loop.
  void lingerBriefly(long now) {
    long until = now + DRAIN_LINGER_NANOS;
    if (state == State.LINGER && deadlineNanos > until) {
      loop.timers().schedule(this, until);
    }
  }

  /// Ends the connection, after the reply in progress: its input exceeds the memory budget.
  @Override
  void inputOverBudget() {
    loop.counters().overBudgetConnections++;
    if (ticket != null) {
      input.refuse();
    } else if (unsentBytes() > 0 && !(tls != null && tls.handshaking())) {
      close();
    } else {
      abort();
    }
  }

  /// Starts the write timeout: the peer must take a byte within it.
  void blockedOnWrite() {
    beginPeerTime(now());
    loop.timers().schedule(this, now() + lookNanos());
  }

  private long lookNanos() {
    return Math.max(1, loop.config().writeTimeoutNanos() / LOOKS);
  }

  /// Returns true if a blocked peer took nothing for the write timeout, else schedules a check.
  private boolean peerStuck(long lookNanos) {
    long due = peerTookNanos(socket, now()) + loop.config().writeTimeoutNanos();
    if (due - now() <= 0) {
      return true;
    }
    loop.timers().schedule(this, Math.min(due, now() + lookNanos));
    return false;
  }

  @Override
  void awaitRoom() {
    sendState = Send.ROOM;
    loop.timers().cancel(this);
    loop.outputRoom().await(this);
  }

  @Override
  boolean holdsOutputMemory() {
    return output.holdsKept() || (tls != null && tls.wire().holdsKept());
  }

  @Override
  void roomCame() {
    if (sendState == Send.ROOM) {
      sendState = Send.IDLE;
      unblockedOnWrite();
      markDirty();
    }
    ReplyTicket waiting = ticket;
    if (waiting != null) {
      waiting.roomCame();
    }
    input.memoryCame();
  }

  void unblockedOnWrite() {
    if (state == State.OPEN) {
      deadline(protocolDelayNanos);
    } else if (state == State.CLOSING) {
      loop.timers().cancel(this);
    }
  }

  @Override
  void handshakeEnded() {
    if (state == State.OPEN && !sendState.isBlocked()) {
      applyProtocolDeadline();
    }
  }

  private void applyProtocolDeadline() {
    long at = tls == null ? protocolDeadlineNanos : tls.deadline(protocolDeadlineNanos);
    if (at == NO_DEADLINE) {
      loop.timers().cancel(this);
    } else {
      loop.timers().schedule(this, at);
    }
  }

  // ---- end ----------------------------------------------------------------------------------

  @Override
  void expired() {
    if (state == State.OPEN && !sendState.isBlocked()) {
      if (!output.isEmpty() || loop.outputRoom().awaitedBy(this)) {
        deadline(protocolDelayNanos);
        return;
      }
      protocolDeadlineNanos = NO_DEADLINE;
      expiredInDrain = loop.turn().draining();
      if (tls != null && tls.handshaking()) {
        loop.counters().tlsFailures++;
        abort();
      } else {
        parts.calls().timedOut(this);
      }
    } else if (state == State.LINGER) {
      KernelEnd end = kernelEnd;
      if (end == null) {
        abort();
      } else {
        endAsKernel(end);
      }
    } else if (peerStuck(lookNanos())) {
      loop.counters().writeTimeouts++;
      abort();
    }
  }

  /// Releases the resources of an open connection. Runs once, when the connection leaves the table.
  void released() {
    ReplyTicket waiting = ticket;
    if (waiting != null) {
      waiting.connectionGone();
    }
  }

  /// Ends the connection without a call to the engine, which is about to close all sockets.
  ///
  /// @return true if the connection was open
  boolean abandon() {
    boolean open = !removed;
    if (open) {
      state = State.FINISHED;
      forget();
    }
    return open;
  }

  /// Cancels the armed operations. Once none is left, closes the socket and leaves the table.
  void finish() {
    if (removed) {
      return;
    }
    input.cancel();
    if (sendState == Send.WAITING) {
      transport.cancel(token(Token.SEND_ALL));
    } else if (sendState == Send.WRITABLE) {
      transport.cancel(token(Token.WRITABLE));
    }
    if (sendState == Send.ROOM) {
      sendState = Send.IDLE;
    }
    if (!input.armed() && sendState == Send.IDLE) {
      forget();
      parts.gone().accept(this);
    }
  }

  private void forget() {
    removed = true;
    if (unsentBytes() > 0 || ticket != null) {
      loop.counters().cutReplies++;
    }
    output.clear();
    if (tls != null) {
      unsentCiphertext = tls.wire().queuedBytes();
      tls.release();
    }
  }

  // ---- for TLS ------------------------------------------------------------------------------

  @Override
  boolean acceptsInput() {
    return state == State.OPEN && !input.refused();
  }

  @Override
  void showInput(Block block, long base, int count) {
    input.show(block, base, count);
  }

  @Override
  void pauseInput() {
    input.pause();
  }

  @Override
  void armInput() {
    input.arm();
  }

  @Override
  void endInput() {
    input.end();
  }
}
