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

/// An accepted socket with its state, its deadline and its operations for protocols. It is owned by
/// the loop's thread from accept to close and never moves to another loop.
///
/// ```
/// OPEN ──close()──▶ CLOSING ──output gone, FIN sent──▶ LINGER ──peer's FIN or time──▶ FINISHED
///   └──abort(), error──────────────────────────────────────────────────────────────────▲
/// ```
///
/// A finished connection stays in the table until no operation is armed or in flight on its socket.
///
/// Received bytes pass through [ConnectionInput], sent bytes through [Output].
public final class Connection extends Endpoint {
  /// The time for which an idle or unfinished connection lingers after our FIN while the loop
  /// drains. No reply is in flight that a reset could destroy.
  private static final long DRAIN_LINGER_NANOS = 250_000_000L;

  /// The number of checks per write timeout of a blocked connection for bytes accepted by its peer.
  private static final int LOOKS = 4;

  /// The interval of progress checks on a connection that closes as the kernel does.
  private static final long END_LOOK_NANOS = 20_000_000L;

  final LoopParts loop;
  final ConnectionParts parts;
  final Protocol protocol;
  final int index;
  final int generation;
  final int socket;
  private final Output output;
  final ConnectionInput input;

  /// The layer between the socket and the protocol, or null without TLS.
  final @Nullable TlsLayer tls;

  private boolean removed;

  /// True if the connection's deadline expired during a drain, so that no request awaits a reply.
  private boolean expiredInDrain;

  /// The value of [#sentBytes] at which the protocol requested a call.
  private long sentAwaited = Long.MAX_VALUE;

  /// The number of bytes of ciphertext that were unsent when the connection ended.
  private long unsentCiphertext;

  @Nullable ReplyTicket ticket;
  private @Nullable Object attachment;

  /// The kernel-like close in progress, or null if there is none; see [#closeAsKernel].
  @Nullable KernelEnd kernelEnd;

  long protocolDeadlineNanos = NO_DEADLINE;
  private long protocolDelayNanos;

  /// @param tls the TLS context, or null for a connection without TLS
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
      applyProtocolDeadline(); // the deadline of the handshake
    }
  }

  // ---- for protocols ------------------------------------------------------------------------

  /// Returns an executor that runs tasks on the loop's thread in order. Any thread may call.
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

  /// Returns the object that the protocol has attached, or null if there is none.
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object object) {
    attachment = object;
  }

  /// Returns true if input is still handled; false after [#close], [#abort] or an error.
  public boolean isOpen() {
    return state == State.OPEN && !(tls != null && tls.closeWaits());
  }

  /// Returns true if the peer is connected over TLS.
  public boolean secure() {
    return tls != null;
  }

  /// Returns true if too much output is queued. The protocol then stops consuming and returns.
  public boolean outputFull() {
    return overHighWater() || loop.outputMemory().staging().full();
  }

  /// Returns the number of output bytes that the kernel has accepted since the connection was
  /// opened. The value is valid until [Protocol#closed] has returned. With TLS, the result is
  /// slightly low because queued ciphertext is subtracted as if it were plain text.
  public long sentBytes() {
    long waits = unsentCiphertext;
    if (tls != null && !removed) {
      waits = tls.wire().queuedBytes();
    }
    return Math.max(0, output.takenBytes() - waits);
  }

  /// Returns the value that [#sentBytes] will have once all currently staged output is accepted.
  public long stagedBytes() {
    return output.takenBytes() + output.queuedBytes();
  }

  /// Returns true if the peer must read before the kernel can accept more output.
  public boolean outputBlocked() {
    return sendState.isBlocked();
  }

  /// Requests a single call of [Protocol#sent] when [#sentBytes] has reached the given value. There
  /// is no call if the connection ends first. Each request replaces the previous one.
  ///
  /// @param bytes a value of [#stagedBytes], or `Long.MAX_VALUE` for none
  public void awaitSent(long bytes) {
    sentAwaited = bytes;
    if (bytes != Long.MAX_VALUE && sendState == Send.SUBMITTED) {
      loop.turn().settleSoon(); // otherwise the report waits for the next event
    }
  }

  /// Defers the current message to the slow path and closes the ordering gate until the ticket
  /// completes. At most one message of a connection can be deferred at a time.
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

  /// Sets whether input belongs to the deferred message, such as the rest of its body. This input
  /// is shown before the reply, no matter how much output is queued.
  public void feedDeferred(boolean value) {
    input.feedDeferred(value);
  }

  /// Discards all further input. The connection closes once the deferred message is answered.
  public void refuseInput() {
    input.refuse();
  }

  /// Sets whether [Protocol#received] only consumes input and does not reply. This input is shown
  /// no matter how much output is queued, because a peer in this process may have to read before
  /// that output can be sent. Must be called on the loop's thread.
  public void inputNeedsNoRoom(boolean value) {
    input.needsNoRoom(value);
  }

  /// Holds back all input from the protocol until [#resumeInput], including the rest of the current
  /// input. For protocols that answer messages in any order without tickets and have accepted as
  /// many as they can answer now. Input that arrives meanwhile is buffered, up to
  /// [LoopConfig#partialBytesPerConnection]; then receiving stops.
  public void holdInput() {
    input.holdBack();
  }

  /// Delivers input again from the next turn on. Has no effect if input is not held.
  public void resumeInput() {
    input.letThrough();
  }

  public boolean inputHeld() {
    return input.heldByProtocol();
  }

  /// Retains bytes of the current input after the handler has returned. Returns a read-only
  /// reference that any thread may use and that its holder must close. The bytes of the reference
  /// never change.
  ///
  /// The bytes stay in the chunk in which they were received if at least a quarter of the arena is
  /// free and this connection holds no more chunks than [sluice.loop.engine.LeaseLimits] allows;
  /// otherwise they are copied within the same limits. The reference outlives the loop.
  ///
  /// Closing the reference takes tens of microseconds, see [Memory], so it suits large messages and
  /// sharing. Copying a small message for one thread into an array is cheaper.
  ///
  /// @param input the view given to [Protocol#received]
  /// @param length at least 1
  /// @return null if neither a lease nor a copy is available, in which case the handler should
  ///   reply that the server is busy, or close the connection
  /// @throws IllegalStateException if `input` is not the view given to this connection's handler
  public @Nullable Memory retain(View input, int from, int length) {
    return loop.input().retain(this, leases(loop.config().leases()), input, from, length);
  }

  /// Leases the chunk that contains the input if a quarter of the arena is free. This variant of
  /// [#retain] allocates no object and is intended for modules that are trusted with blocks. The
  /// caller counts its leases and releases each.
  ///
  /// @param input the view given to [Protocol#received]
  /// @return null if the arena has no chunk to spare, or if the input is not in a chunk
  public @Nullable Block lease(View input) {
    return loop.input().lease(this, input);
  }

  /// Returns the offset of the first byte of the input in the block of [#lease].
  public long leaseOffset() {
    return loop.input().offset();
  }

  /// Sets whether the protocol expects long messages and receives them into its own memory instead
  /// of copying them from chunks. [Protocol#caughtUp] is then called. Has no effect with TLS or if
  /// the transport does not support it.
  public void expectLong(boolean on) {
    input.expectLong(on);
  }

  /// Receives the bytes that follow the consumed input. May only be called in [Protocol#caughtUp].
  ///
  /// @param into a block leased by the caller
  /// @return the number of bytes received, or 0 if none have arrived, in which case the next ones
  ///   are delivered to [Protocol#received]
  /// @throws IllegalStateException if called from anywhere else
  public int receiveInto(Block into, long at, int most) {
    return input.receiveInto(into.segment(), at, most);
  }

  /// Sets whether the next bytes are a preface, which is delivered to [Protocol#preface] and not to
  /// TLS. The deadline of the handshake, or of the protocol without TLS, keeps running.
  ///
  /// @param on set in [Protocol#opened]
  public void expectPreface(boolean on) {
    input.preface = on;
  }

  /// Sets the deadline. [Protocol#timedOut] is called unless the deadline is moved or cleared
  /// before. The time runs while the peer is expected to act. It restarts when all output has been
  /// sent, because until then the peer may have to read before it can send.
  ///
  /// @param nanosFromNow the delay; a value of 0 or less clears the deadline
  public void deadline(long nanosFromNow) {
    protocolDelayNanos = nanosFromNow;
    protocolDeadlineNanos = nanosFromNow <= 0 ? NO_DEADLINE : now() + nanosFromNow;
    if (state == State.OPEN && !sendState.isBlocked()) {
      applyProtocolDeadline();
    }
  }

  /// Marks the connection as idle, which means that the protocol waits for the next message. Until
  /// input is delivered, the loop may close the connection to make room for a new one. The longest
  /// idle connection is closed first, after its output is sent. A protocol that never calls this
  /// method keeps its connections.
  public void idle() {
    idleOnceSent = false;
    if (state == State.OPEN && list == null && !leaving) {
      parts.idle().add(this);
    }
  }

  /// Marks the connection as busy because input is delivered or the connection ends.
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

  /// Sends the staged output and a FIN, then reads and discards input until the peer's FIN, so that
  /// no reset destroys the last reply.
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

  /// Closes the connection immediately and discards the staged output.
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

  /// Shuts down the output, all of which was sent; input continues. Makes a system call.
  public void shutdownOutput() {
    transport.shutdown(socket, 1);
  }

  /// Closes the connection as `close(2)` does: with a FIN, or with a reset if the caller, the loop
  /// or the kernel holds unread bytes. Staged output is sent first, and a reset is delayed while
  /// the peer reads it. The caller ensures that `SO_LINGER` is not set to a time, because the loop
  /// would block. Supported only on a kernel transport.
  ///
  /// @param unread true if the caller holds bytes that have not been read
  /// @param endsFirst true if a FIN is sent before a reset, as by `java.net.Socket`
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

  /// Closes as the kernel does, either now or once the peer has received the sent bytes.
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

  /// Duplicates the descriptor of the connection's socket. The caller owns the duplicate and must
  /// close it. The socket stays connected until both descriptors are closed or either one is shut
  /// down. Makes a system call.
  ///
  /// @return a negative errno if no descriptor is free or the transport is not the kernel's
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

  /// Notifies the protocol of the end of its input.
  void tellEnd(int leftover) {
    if (tls != null && tls.truncated()) {
      protocol.truncated(this, leftover + tls.heldBytes());
    } else {
      protocol.ended(this, leftover);
    }
  }

  // ---- output -------------------------------------------------------------------------------

  /// Returns the output written to the socket, which is the ciphertext with TLS.
  Output wire() {
    return tls == null ? output : tls.wire();
  }

  /// Returns the number of bytes, plain or encrypted, that the kernel has not accepted.
  long unsentBytes() {
    return output.queuedBytes() + (tls == null ? 0 : tls.wire().queuedBytes());
  }

  /// Copies the staged output that must outlive the turn, see [Output#persist].
  boolean persist(long skipBytes) {
    return wire().persist(skipBytes) && (tls == null || output.persist(0));
  }

  /// Returns true if the completion of the current send is awaited and should be settled soon.
  boolean settlesSoon() {
    ReplyTicket waiting = ticket;
    return state != State.OPEN
        || sentAwaited != Long.MAX_VALUE
        || input.roomAwaited()
        || (waiting != null && waiting.awaitsRoom());
  }

  /// Notifies a waiting protocol that the kernel has accepted output.
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

  /// Handles the completion of all output. Sends our FIN in state `CLOSING`.
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

  /// Reduces the wait for the peer's FIN to that of an idle connection of a draining loop.
  void lingerBriefly(long now) {
    long until = now + DRAIN_LINGER_NANOS;
    if (state == State.LINGER && deadlineNanos > until) {
      loop.timers().schedule(this, until);
    }
  }

  /// Closes the connection after the current reply because its input exceeds the memory budget.
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

  /// Starts the write timeout, within which the peer must accept a byte.
  void blockedOnWrite() {
    beginPeerTime(now());
    loop.timers().schedule(this, now() + lookNanos());
  }

  private long lookNanos() {
    return Math.max(1, loop.config().writeTimeoutNanos() / LOOKS);
  }

  /// Returns true if a blocked peer accepted nothing in the write timeout, else schedules a check.
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

  /// Releases the resources of an open connection, once, when it is removed from the table.
  void released() {
    ReplyTicket waiting = ticket;
    if (waiting != null) {
      waiting.connectionGone();
    }
  }

  /// Closes the connection without notifying the engine, which is about to close all sockets.
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
