package sluice.loop;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.loop.engine.KernelTransport;
import sluice.loop.engine.Token;
import sluice.loop.sockets.ClassFiles;
import sluice.loop.sockets.DescriptorLender;
import sluice.loop.sockets.DescriptorRoom;
import sluice.loop.sockets.DescriptorShortage;
import sluice.loop.tls.TlsContext;
import sluice.loop.turn.AcceptPause;
import sluice.sys.Errno;

/// Owns the listeners of a loop and creates connections for accepted sockets. Runs on the loop's
/// thread.
///
/// **Few descriptors left.** If an accepted client uses one of the last descriptors
/// ([DescriptorRoom]), the connection that has been idle longest is closed in its favor. If this
/// loop has no idle connection, another loop of the process is asked to close some
/// ([DescriptorLender]), and the client is kept. If no loop has an idle connection, the client is
/// refused by [Protocol#overloaded], like a client above the connection limit. A TLS client is
/// closed without a reply, because a handshake would occupy the descriptor for too long. If the
/// protocol lets clients wait ([Protocol#waitsForPlace]), the client is kept, and its listener
/// stops accepting until descriptors are available ([AcceptPause]).
///
/// **Failed accepts.** An accept may fail with `EMFILE` or `ENFILE`. The failure alone does not
/// close a connection, because another thread may have freed a descriptor since. The acceptor
/// closes one descriptor of the transport's reserve and retries the accept. If the reserve can be
/// refilled afterwards, the client is served. Otherwise the process is out of descriptors: the
/// client replaces an idle connection or is refused, and descriptors that are freed from then on
/// refill the reserve first.
///
/// **Out of descriptors.** If the reserve is empty or the count has reached the limit, idle
/// connections are closed, and accepting resumes when their sockets are closed. If no connection is
/// idle, the refused client that has lingered longest is aborted. The accept is retried when a
/// socket has been closed, or after [#RETRY_NANOS].
final class Acceptor {
  private static final long RETRY_NANOS = 100_000_000L;

  /// The maximum number of consecutive failed accepts that are retried immediately.
  private static final int MOST_FAILED = 4;

  private final ConnectionParts parts;
  private final LoopParts loop;
  private final KernelTransport kernel;
  private final Connections connections;
  private final Admission admission;
  private final Runnable listenerClosed;
  private final List<Listener> listeners = new ArrayList<>();

  private final AcceptPause pause;
  private DescriptorRoom room = new DescriptorRoom(-1);

  /// The other loops of the process.
  private List<DescriptorLender> lenders = List.of();

  /// The number of connections that other loops were asked to close and have not yet reported as
  /// closed.
  private int borrowed;

  /// The number of accepts that have failed because no descriptor was free, since the last
  /// successful one.
  private int failed;

  /// True if an accept of this turn failed because no descriptor was free.
  private boolean ranOut;

  /// True if the protocol of a listener lets clients wait, so that no client is accepted unless
  /// there is a place for it.
  private boolean anyWaits;

  /// True if a listener is paused or starved.
  private boolean waiting;

  /// True if the process has run out of descriptors and the transport's reserve has not been
  /// refilled since.
  private boolean shortage;

  private boolean retryScheduled;

  /// The number of sockets whose close has been staged, and the same number at the end of the
  /// previous turn. The closes of the previous turn have been carried out by this turn.
  private long freed;

  private long freedBefore;
  private long freedSeen;

  /// @param parts the objects that new connections share
  /// @param kernel the transport whose reserve of descriptors is used
  /// @param listenerClosed invoked when the last accept of a stopped listener has completed
  Acceptor(
      ConnectionParts parts,
      KernelTransport kernel,
      Connections connections,
      Admission admission,
      AcceptPause pause,
      Runnable listenerClosed) {
    this.parts = parts;
    this.loop = parts.loop();
    this.kernel = kernel;
    this.listenerClosed = listenerClosed;
    this.connections = connections;
    this.admission = admission;
    this.pause = pause;
  }

  /// Sets the loops that are asked to close idle connections when this loop runs out of descriptors
  /// and has no idle connections itself.
  void borrowFrom(List<DescriptorLender> others) {
    lenders = others;
  }

  /// Adds a listener and begins to accept.
  Listener add(Listener.Handle handle, Protocol protocol, @Nullable TlsContext tls) {
    ClassFiles.ready(protocol.getClass());
    Listener listener = new Listener(listeners.size(), handle, protocol, tls);
    listeners.add(listener);
    anyWaits |= protocol.waitsForPlace();
    room = DescriptorRoom.ofProcess();
    shortage |= !kernel.fillReserve();
    level(-1);
    arm(listener);
    return listener;
  }

  /// Creates a connection for a socket that is already connected.
  Connection adopt(Listener from, int socket) {
    loop.counters().accepted++;
    Connection connection = connections.add(parts, from, socket);
    connection.openedInTurn = loop.counters().turns + 1; // the turn is counted at its end
    connection.openedNanos = loop.turn().now();
    parts.calls().opened(connection);
    connection.input.arm();
    return connection;
  }

  /// Pauses a listener until [#goOn(Listener)] is called. Clients that were accepted before may
  /// still arrive.
  void hold(Listener listener) {
    if (!listener.held) {
      listener.held = true;
      if (listener.state == Listener.State.ARMED) {
        listener.transport.cancel(Token.of(Token.ACCEPT, 0, listener.index));
      }
    }
  }

  /// Resumes a listener that was paused by [#hold].
  void goOn(Listener listener) {
    listener.held = false;
    arm(listener);
  }

  private void arm(Listener listener) {
    if (listener.held || listener.starved) {
      return;
    }
    if (listener.state == Listener.State.IDLE || listener.state == Listener.State.PAUSED) {
      listener.state = Listener.State.ARMED;
      listener.transport.accept(listener.handle, Token.of(Token.ACCEPT, 0, listener.index));
    }
  }

  /// Closes the accept queues that belong to this process alone to new clients, and stops the
  /// listeners whose queues the kernel cannot close.
  ///
  /// @return the ports whose queues will drain eventually, for [sluice.loop.sockets.AcceptQueues]
  Set<Integer> refuseNew() {
    Set<Integer> ports = new HashSet<>();
    for (Listener listener : listeners) {
      if (!listener.adopted && listener.transport.refuseNew(listener.handle)) {
        port(listener).ifPresent(ports::add);
      } else {
        stop(listener);
      }
    }
    return ports;
  }

  private static OptionalInt port(Listener listener) {
    try {
      return listener.localAddress() instanceof InetSocketAddress inet
          ? OptionalInt.of(inet.getPort())
          : OptionalInt.empty();
    } catch (IOException e) {
      return OptionalInt.empty();
    }
  }

  /// Stops all listeners. Each listener is closed once its accept has completed.
  void stop() {
    listeners.forEach(this::stop);
  }

  /// Stops a listener. If the transport supports it, the waiting clients are accepted first. The
  /// queue of an inherited socket is left alone, because the process that passed the socket also
  /// owns it.
  void stop(Listener listener) {
    if (listener.state.isStopped()) {
      return;
    }
    if (listener.state != Listener.State.ARMED) {
      close(listener);
    } else if (!listener.adopted && listener.transport.acceptRestAndClose(listener.handle)) {
      listener.state = Listener.State.RETURNED;
    } else {
      listener.state = Listener.State.STOPPING;
      listener.transport.cancel(Token.of(Token.ACCEPT, 0, listener.index));
    }
  }

  private void close(Listener listener) {
    boolean returned = listener.state == Listener.State.RETURNED;
    listener.state = Listener.State.CLOSED;
    if (!returned) {
      listener.transport.close(listener.handle);
      loop.tasks().execute(() -> loop.tasks().execute(listener.whenClosed));
    }
  }

  /// Returns true if all listeners are closed.
  boolean stopped() {
    return listeners.stream().allMatch(each -> each.state == Listener.State.CLOSED);
  }

  void accepted(long token, int result, long flags) {
    Listener listener = listeners.get(Token.index(token));
    if (result >= 0) {
      loop.counters().accepted++;
      failed = 0;
      open(listener, result);
    }
    if (Completion.hasMore(flags)) {
      return;
    }
    if (listener.state.isStopped()) {
      close(listener);
      listenerClosed.run();
      return;
    }
    listener.state = Listener.State.IDLE;
    boolean cancelled = result == -Errno.ECANCELED; // by hold
    if (result >= 0 || result == -Errno.ECONNABORTED || cancelled) {
      arm(listener);
    } else {
      loop.counters().acceptErrors++;
      if (result == -Errno.EMFILE || result == -Errno.ENFILE) {
        outOfDescriptors(listener, -result);
      } else {
        loop.tasks().schedule(RETRY_NANOS, () -> arm(listener));
      }
    }
  }

  private void outOfDescriptors(Listener listener, int errno) {
    failed++;
    ranOut = true;
    waiting = true;
    listener.state = Listener.State.PAUSED;
    if (listener.protocol.waitsForPlace()) {
      listener.starved = true;
      pause.begins();
    } else {
      DescriptorShortage.report(errno);
    }
  }

  /// Frees descriptors and retries, at the end of a turn in which an accept failed because no
  /// descriptor was free.
  private void makeRoom() {
    boolean out = isOut();
    if (out && (endIdle() || borrow(Admission.MOST_EVICTED))) {
      retryLater(); // or sooner, when their sockets are closed
      return;
    }
    boolean closing = freed != freedBefore; // refused clients of this turn
    boolean again = !closing && failed <= MOST_FAILED;
    if (again && listeners.stream().anyMatch(this::canTell) && kernel.freeReserve()) {
      shortage = true;
      listeners.stream().filter(this::canTell).forEach(this::arm);
      return;
    }
    if (again && !out) {
      loop.tasks().schedule(1, this::goOn);
      return;
    }
    admission.endLongestLingering();
    retryLater();
  }

  /// Returns true if the process is out of descriptors. Reads the limit again, because it may have
  /// changed.
  private boolean isOut() {
    room = DescriptorRoom.ofProcess();
    return !kernel.fillReserve() || level(-1) != DescriptorRoom.Level.PLENTY;
  }

  private boolean endIdle() {
    if (!admission.mayHavePlace(true)) {
      return false;
    }
    if (admission.evictIdle(Admission.MOST_EVICTED) == 0) { // all were opened in this turn
      loop.tasks().schedule(1, this::goOn);
    }
    return true;
  }

  /// Asks the loop with the most idle connections to close some of them.
  ///
  /// @return false if no other loop has more idle connections than it has already been asked to
  ///   close
  private boolean borrow(int count) {
    DescriptorLender most = null;
    for (DescriptorLender each : lenders) {
      most = most == null || each.idleCount() > most.idleCount() ? each : most;
    }
    if (most == null || most.idleCount() <= borrowed) {
      return false;
    }
    borrowed += count;
    waiting = true;
    retryLater();
    most.release(count, () -> loop.tasks().execute(() -> returned(count)));
    return true;
  }

  private void returned(int count) {
    borrowed = Math.max(0, borrowed - count);
    if (waiting) {
      goOn();
    }
  }

  private boolean canTell(Listener listener) {
    return listener.state == Listener.State.PAUSED
        && listener.transport == kernel
        && !listener.starved;
  }

  private void retryLater() {
    if (!retryScheduled) {
      retryScheduled = true;
      loop.tasks()
          .schedule(
              RETRY_NANOS,
              () -> {
                retryScheduled = false;
                borrowed = 0; // a terminated loop does not respond
                goOn();
                if (listeners.stream().anyMatch(each -> each.starved)) {
                  pause.lasts(admission.belowLimit() ? 0 : loop.config().maxConnections());
                }
              });
    }
  }

  private void goOn() {
    shortage = !kernel.fillReserve();
    waiting = false;
    boolean starved = false;
    for (Listener listener : listeners) {
      starved |= listener.starved;
      if (listener.state == Listener.State.PAUSED) {
        arm(listener);
      }
    }
    if (starved) {
      feed();
    }
  }

  /// Returns the level of free descriptors and limits the following accepts accordingly.
  ///
  /// @param socket the socket that was just accepted, or a negative value for none
  private DescriptorRoom.Level level(int socket) {
    int closing = admission.owed() + borrowed + (int) (freed - freedBefore);
    DescriptorRoom.Level level =
        room.level(kernel, socket, closing, connectionsOfAll(), loop.turn().now());
    int most = anyWaits ? Math.min(room.batch(), admission.places()) : room.batch();
    kernel.acceptAtMost(most, room.batchEnd());
    return level;
  }

  /// Returns the number of connections of all loops of the process, whose descriptors do not count
  /// as files.
  private int connectionsOfAll() {
    int count = admission.count();
    for (DescriptorLender each : lenders) {
      count += each.connectionCount();
    }
    return count;
  }

  /// Resumes the starved listeners if there is room for their clients.
  private void feed() {
    boolean scarce = shortage || level(-1) != DescriptorRoom.Level.PLENTY;
    if (!admission.mayHavePlace(scarce)) {
      waiting = true;
      retryLater();
      return;
    }
    pause.ends();
    for (Listener listener : listeners) {
      if (listener.starved) {
        listener.starved = false;
        arm(listener);
      }
    }
  }

  /// Pauses a listener until there is room again. Clients that were accepted before may still
  /// arrive.
  private void starve(Listener listener) {
    waiting = true;
    pause.begins();
    retryLater();
    if (!listener.starved) {
      listener.starved = true;
      if (listener.state == Listener.State.ARMED) {
        listener.transport.cancel(Token.of(Token.ACCEPT, 0, listener.index));
      }
    }
  }

  /// Records that the close of a socket has been staged.
  void descriptorFreed() {
    freed++;
  }

  void turnEnded() {
    if (ranOut) {
      ranOut = false;
      makeRoom();
    }
    if ((shortage || waiting) && freedBefore != freedSeen) {
      freedSeen = freedBefore;
      goOn();
    }
    if ((shortage || waiting) && freedBefore != freed) {
      loop.tasks().schedule(1, () -> {}); // the next turn performs the closes and continues
    }
    freedBefore = freed;
  }

  private void open(Listener listener, int socket) {
    shortage = shortage && !kernel.fillReserve();
    DescriptorRoom.Level level =
        listener.transport == kernel ? level(socket) : DescriptorRoom.Level.PLENTY;
    boolean scarce = shortage || level != DescriptorRoom.Level.PLENTY;
    boolean last = level == DescriptorRoom.Level.LAST;
    boolean refused = !admission.hasPlace(scarce ? room.above() : 0);
    if (refused && scarce && !last && admission.belowLimit()) {
      refused = !borrow(room.above());
    }
    if (listener.protocol.waitsForPlace()) {
      if (refused) {
        starve(listener);
        refused = last || admission.farAboveLimit();
      }
    } else if (scarce) {
      DescriptorShortage.report(Errno.EMFILE);
    }
    if (refused) {
      loop.counters().refusedConnections++;
      if (scarce) {
        loop.counters().descriptorRefusals++;
      }
      boolean untold = scarce && (listener.tls != null || listener.protocol.waitsForPlace());
      if (untold || !admission.canRefuse(last)) {
        listener.transport.close(socket);
        descriptorFreed();
        return;
      }
    }
    Connection connection = connections.add(parts, listener, socket);
    connection.openedInTurn = loop.counters().turns + 1; // the turn is counted at its end
    connection.openedNanos = loop.turn().now();
    if (refused) {
      admission.leaves(connection);
      parts.calls().overloaded(connection);
    } else {
      parts.calls().opened(connection);
      if (loop.turn().draining()) {
        parts.calls().draining(connection);
      }
    }
    connection.input.arm();
  }
}
