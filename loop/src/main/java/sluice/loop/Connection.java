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

/// One accepted socket: its state, its deadline, and what protocols ask of it. Owned by the loop's
/// thread from accept to close; it never changes loop.
///
/// ```
/// OPEN ──close()──▶ CLOSING ──output gone, FIN sent──▶ LINGER ──peer's FIN or time──▶ FINISHED
///   └──abort(), error──────────────────────────────────────────────────────────────────▲
/// ```
///
/// A finished connection stays in the table until nothing is armed or in flight on its socket.
///
/// What arrives goes through [ConnectionInput], what leaves through [Output].
public final class Connection extends Endpoint {
  /// How long a connection that was idle or unfinished lingers after our FIN when the loop drains:
  /// it has no reply that a reset could destroy.
  private static final long DRAIN_LINGER_NANOS = 250_000_000L;

  /// A connection that cannot send looks this many times in a write timeout whether its peer has
  /// taken something.
  private static final int LOOKS = 4;

  /// How often a connection that ends as the kernel would looks at what its peer has taken.
  private static final long END_LOOK_NANOS = 20_000_000L;

  final LoopParts loop;
  final ConnectionParts parts;
  final Protocol protocol;
  final int index;
  final int generation;
  final int socket;
  private final Output output;
  final ConnectionInput input;

  /// Stands between socket and protocol; null on a connection without TLS.
  final @Nullable TlsLayer tls;

  private boolean removed;

  /// Its time was over while the loop drained: nothing was asked that could be answered.
  private boolean expiredInDrain;

  /// [#sentBytes] that the protocol waits for.
  private long sentAwaited = Long.MAX_VALUE;

  /// Ciphertext that was left when the connection ended.
  private long unsentCiphertext;

  @Nullable ReplyTicket ticket;
  private @Nullable Object attachment;

  /// How it ends, where that is as the kernel would.
  @Nullable KernelEnd kernelEnd;

  long protocolDeadlineNanos = NO_DEADLINE;
  private long protocolDelayNanos;

  /// @param tls what it encrypts with; null for no TLS
  /// @param place its index and generation in the table, as a token
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

  /// Runs tasks on the thread of the connection's loop, in order. Any thread may call.
  public Executor executor() {
    return loop.tasks();
  }

  /// Runs what may block, off the loop's thread. Any thread may call.
  public Executor slowPath() {
    return loop.slowPath();
  }

  /// The time at which the loop's turn began its work, by its clock.
  public long now() {
    return loop.turn().now();
  }

  public Output output() {
    return output;
  }

  /// What the protocol attached; null before.
  public @Nullable Object attachment() {
    return attachment;
  }

  public void attach(@Nullable Object object) {
    attachment = object;
  }

  /// Whether input is still handled: false after [#close], [#abort] or an error.
  public boolean isOpen() {
    return state == State.OPEN && !(tls != null && tls.closeWaits());
  }

  /// Whether the peer is connected by TLS.
  public boolean secure() {
    return tls != null;
  }

  /// Whether too much output waits here, or in this turn: the protocol stops consuming and returns.
  public boolean outputFull() {
    return overHighWater() || loop.outputMemory().staging().full();
  }

  /// Bytes of the output, since the connection was opened, that the kernel has taken; good until
  /// [Protocol#closed] has returned. With TLS, ciphertext that waits counts as if it were the plain
  /// bytes: a little more than them.
  public long sentBytes() {
    long waits = unsentCiphertext;
    if (tls != null && !removed) {
      waits = tls.wire().queuedBytes();
    }
    return Math.max(0, output.takenBytes() - waits);
  }

  /// What [#sentBytes] will be once all that is staged now has been taken.
  public long stagedBytes() {
    return output.takenBytes() + output.queuedBytes();
  }

  /// Whether the peer must read before more of the output is taken.
  public boolean outputBlocked() {
    return sendState.isBlocked();
  }

  /// Calls [Protocol#sent], once, when [#sentBytes] has reached a number; not if the connection
  /// ends before. One is waited for at a time, the one given last.
  ///
  /// @param bytes as [#stagedBytes] has said; `Long.MAX_VALUE` for none
  public void awaitSent(long bytes) {
    sentAwaited = bytes;
    if (bytes != Long.MAX_VALUE && sendState == Send.SUBMITTED) {
      loop.turn().settleSoon(); // otherwise only what comes next would end the turn that tells
    }
  }

  /// Hands the message being handled to the slow path: closes the ordering gate until the ticket
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

  /// Says whether what comes belongs to the message that is deferred, such as the rest of its body:
  /// it is shown before the reply, and however much output waits.
  public void feedDeferred(boolean value) {
    input.feedDeferred(value);
  }

  /// Hears no more; when the message that is deferred has its reply, the connection closes.
  public void refuseInput() {
    input.refuse();
  }

  /// Says that input is taken and not replied to in [Protocol#received], so that it is shown
  /// however much output waits: a peer of this process may have to read before that output can
  /// leave. On the loop's thread.
  public void inputNeedsNoRoom(boolean value) {
    input.needsNoRoom(value);
  }

  /// Shows the protocol no more input until [#resumeInput], the rest of what is being handled
  /// included: for a protocol that answers messages in any order, without tickets, and has taken as
  /// many as it can answer now. What arrives meanwhile waits, and beyond
  /// [LoopConfig#partialBytesPerConnection] receiving stops.
  public void holdInput() {
    input.holdBack();
  }

  /// Shows input again, from the next turn on. Does nothing when it is not held.
  public void resumeInput() {
    input.letThrough();
  }

  public boolean inputHeld() {
    return input.heldByProtocol();
  }

  /// Keeps bytes of the input that is being handled for longer than the handler runs: a read-only
  /// reference that any thread may use and that its holder closes. What it shows never changes.
  ///
  /// The bytes stay where they were received, and the chunk with them, while at least a quarter of
  /// the arena is free and this connection holds no more chunks than
  /// [sluice.loop.engine.LeaseLimits] says; otherwise they are copied within the same limits. The
  /// reference outlives the connection and the loop.
  ///
  /// Closing the reference costs tens of microseconds, see [Memory]: it is for large messages and
  /// for sharing. A small message that goes to one thread is cheaper copied into an array.
  ///
  /// @param input the view given to [Protocol#received]
  /// @param length at least 1
  /// @return null when neither a lease nor a copy is to be had: the handler answers that the server
  ///   is busy, or closes
  /// @throws IllegalStateException when `input` is not what this connection's handler was given
  public @Nullable Memory retain(View input, int from, int length) {
    return loop.input().retain(this, leases(loop.config().leases()), input, from, length);
  }

  /// As [#retain], for the modules that are trusted with blocks, and without an object: a lease on
  /// the chunk that the input lies in, while a quarter of the arena is free. The caller counts its
  /// leases, and releases each.
  ///
  /// @param input the view given to [Protocol#received]
  /// @return null when the arena can spare no chunk, or the input lies in none
  public @Nullable Block lease(View input) {
    return loop.input().lease(this, input);
  }

  /// Where in [#lease]'s block the first byte of the input is.
  public long leaseOffset() {
    return loop.input().offset();
  }

  /// Says whether long messages come that the protocol wants to receive where it keeps them, so
  /// that they are not copied out of chunks: then [Protocol#caughtUp] is called. Does nothing where
  /// the transport cannot, or with TLS.
  public void expectLong(boolean on) {
    input.expectLong(on);
  }

  /// Takes bytes that have come behind those the protocol has consumed. Only in
  /// [Protocol#caughtUp].
  ///
  /// @param into leased by the caller
  /// @return bytes taken; 0 when none have come: the next ones come to [Protocol#received]
  /// @throws IllegalStateException when it is called from anywhere else
  public int receiveInto(Block into, long at, int most) {
    return input.receiveInto(into.segment(), at, most);
  }

  /// Says whether the bytes that come next are a preface: they are shown to [Protocol#preface], and
  /// not to TLS. The deadline goes on: with TLS that of the handshake, else the protocol's.
  ///
  /// @param on said in [Protocol#opened]
  public void expectPreface(boolean on) {
    input.preface = on;
  }

  /// Calls [Protocol#timedOut] unless moved or cleared before. The time runs while the peer is to
  /// act: it begins anew when the output has gone, because until then what the peer sends may wait
  /// for the peer to read.
  ///
  /// @param nanosFromNow delay; 0 or less clears the deadline
  public void deadline(long nanosFromNow) {
    protocolDelayNanos = nanosFromNow;
    protocolDeadlineNanos = nanosFromNow <= 0 ? NO_DEADLINE : now() + nanosFromNow;
    if (state == State.OPEN && !sendState.isBlocked()) {
      applyProtocolDeadline();
    }
  }

  /// Says that the protocol waits for the next message. Until bytes of one are shown, the
  /// connection may be closed when the loop has no place for a new one, the longest idle first;
  /// output that the peer has not taken is sent before. A protocol that never says so keeps its
  /// connections.
  public void idle() {
    idleOnceSent = false;
    if (state == State.OPEN && list == null && !leaving) {
      parts.idle().add(this);
    }
  }

  /// The protocol is shown bytes, or the connection ends.
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

  /// Sends what is staged, then FIN, then reads and drops what the peer still sends until its FIN,
  /// so that no reset destroys the last reply.
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

  /// Ends the connection at once; what is staged is dropped.
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

  /// Ends the output, which has gone; input goes on. A system call.
  public void shutdownOutput() {
    transport.shutdown(socket, 1);
  }

  /// Ends the connection as `close(2)` does: by FIN, or by a reset where bytes were left unread, be
  /// it by the caller, here or in the kernel. What is staged is sent before, and a reset waits
  /// while the peer takes it. The caller sees to it that the socket does not linger for a time,
  /// which the loop would wait. Only on a transport of the kernel.
  ///
  /// @param unread whether the caller holds bytes that were left unread
  /// @param endsFirst whether the output ends before a reset, as with `java.net.Socket`
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

  /// Ends as the kernel would, now or when the peer has taken what was sent.
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

  /// The peer's address, or null when the kernel does not know it (any more). A system call.
  public @Nullable SocketAddress remoteAddress() {
    return transport.remoteAddress(socket);
  }

  /// Another descriptor of the connection's socket, which the caller owns and closes: the socket
  /// stays connected until that is done too, or either is shut down. A system call.
  ///
  /// @return a negative errno where there are no descriptors, or the transport is not the kernel's
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

  /// Tells the protocol how input ended.
  void tellEnd(int leftover) {
    if (tls != null && tls.truncated()) {
      protocol.truncated(this, leftover + tls.heldBytes());
    } else {
      protocol.ended(this, leftover);
    }
  }

  // ---- output -------------------------------------------------------------------------------

  /// What goes to the socket: the output, or its ciphertext.
  Output wire() {
    return tls == null ? output : tls.wire();
  }

  /// Bytes the kernel has not taken, encrypted or not.
  long unsentBytes() {
    return output.queuedBytes() + (tls == null ? 0 : tls.wire().queuedBytes());
  }

  /// Copies what is staged and stays, [Output#persist].
  boolean persist(long skipBytes) {
    return wire().persist(skipBytes) && (tls == null || output.persist(0));
  }

  /// Whether a listener waits to hear that the kernel has taken what is sent now.
  boolean settlesSoon() {
    ReplyTicket waiting = ticket;
    return state != State.OPEN
        || sentAwaited != Long.MAX_VALUE
        || input.roomAwaited()
        || (waiting != null && waiting.awaitsRoom());
  }

  /// Output was taken.
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

  /// The output has gone: in CLOSING that is the time for our FIN.
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

  /// Waits no longer for the peer's FIN than an idle connection of a draining loop does.
  void lingerBriefly(long now) {
    long until = now + DRAIN_LINGER_NANOS;
    if (state == State.LINGER && deadlineNanos > until) {
      loop.timers().schedule(this, until);
    }
  }

  /// A reply that is under way is finished all the same.
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

  /// The peer must read: from now on it has the write timeout to take a byte.
  void blockedOnWrite() {
    beginPeerTime(now());
    loop.timers().schedule(this, now() + lookNanos());
  }

  private long lookNanos() {
    return Math.max(1, loop.config().writeTimeoutNanos() / LOOKS);
  }

  /// Whether a peer that must read has taken nothing for the write timeout; looks again otherwise.
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

  /// Releases what only an open connection needs; runs once, when it leaves the table.
  void released() {
    ReplyTicket waiting = ticket;
    if (waiting != null) {
      waiting.connectionGone();
    }
  }

  /// Ends without a word to the engine, which is about to close all sockets.
  ///
  /// @return whether it was open
  boolean abandon() {
    boolean open = !removed;
    if (open) {
      state = State.FINISHED;
      forget();
    }
    return open;
  }

  /// Cancels what is armed and, when nothing is, closes the socket and leaves the table, once.
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
