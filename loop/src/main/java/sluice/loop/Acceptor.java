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

/// The listeners of a loop, and how a socket becomes a connection. Owned by the loop's thread.
///
/// **Short of descriptors**: a client whose descriptor is one of the last ([DescriptorRoom]) takes
/// the place of the connection that has been idle longest. With none idle here, another loop of the
/// process is asked to end some ([DescriptorLender]), and the client stays. With none there either
/// it is refused as one above the limit is, by [Protocol#overloaded]; a client that comes by TLS is
/// closed without a word, because the handshake would take the descriptor for long. Protocols that
/// rather let clients wait ([Protocol#waitsForPlace]) keep it, and their listener accepts no more
/// until there is room ([AcceptPause]).
///
/// **An accept fails** by `EMFILE` or `ENFILE`. That alone ends no connection: another thread may
/// have given a descriptor back since. One of the transport's reserve is closed, and the accept is
/// tried again. If the reserve can be filled then, the client is served. If not, descriptors are
/// out: the client takes the place of an idle connection, or is refused; what is closed from then
/// on goes into the reserve first.
///
/// **Out of descriptors**, with the reserve empty or the count at the limit, idle connections are
/// ended, and accepting goes on when their sockets are closed. With none idle, the refused client
/// that has lingered longest is cut off, and the next attempt is made when a socket has been
/// closed, or after [#RETRY_NANOS].
final class Acceptor {
  private static final long RETRY_NANOS = 100_000_000L;

  /// Failed accepts in a row that are tried again at once.
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

  /// Other loops of the process.
  private List<DescriptorLender> lenders = List.of();

  /// Connections that they have been asked to end and have not said to have ended.
  private int borrowed;

  /// Accepts that found no descriptor, since one has.
  private int failed;

  /// An accept of this turn has found no descriptor.
  private boolean ranOut;

  /// Clients of a listener are to wait: none is accepted without a place.
  private boolean anyWaits;

  /// A listener is paused or starved.
  private boolean waiting;

  /// Descriptors have run out, and the transport's reserve has not been filled since.
  private boolean shortage;

  private boolean retryScheduled;

  /// Sockets closed so far, as staged; and what that was at the end of the turn before, which this
  /// turn has carried out.
  private long freed;

  private long freedBefore;
  private long freedSeen;

  /// @param parts what new connections work with
  /// @param kernel whose reserve of descriptors is used
  /// @param listenerClosed runs when a listener that was stopped accepts no more
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

  /// Other loops end idle connections from now on when this one is short and has none.
  void borrowFrom(List<DescriptorLender> others) {
    lenders = others;
  }

  /// Begins to accept.
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

  /// Serves a socket that is connected already.
  Connection adopt(Listener from, int socket) {
    loop.counters().accepted++;
    Connection connection = connections.add(parts, from, socket);
    connection.openedInTurn = loop.counters().turns + 1; // it is counted at its end
    connection.openedNanos = loop.turn().now();
    parts.calls().opened(connection);
    connection.input.arm();
    return connection;
  }

  /// Accepts no more until [#goOn(Listener)]; what was accepted before may still come.
  void hold(Listener listener) {
    if (!listener.held) {
      listener.held = true;
      if (listener.state == Listener.State.ARMED) {
        listener.transport.cancel(Token.of(Token.ACCEPT, 0, listener.index));
      }
    }
  }

  /// Accepts again.
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

  /// Lets no new client into the accept queues that are ours alone, and stops the listeners where
  /// the kernel cannot do that.
  ///
  /// @return the ports whose queues will be empty at some time, for
  ///   [sluice.loop.sockets.AcceptQueues]
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

  /// Accepts no more, and closes each listener once its accept has ended.
  void stop() {
    listeners.forEach(this::stop);
  }

  /// Stops one listener. Where the transport can, what waits is accepted first; but the queue of a
  /// socket that was passed in belongs to the process that passed it too.
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

  /// Whether all listeners are closed.
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

  /// All that has come in this turn has been handled, and an accept found no descriptor.
  private void makeRoom() {
    boolean out = isOut();
    if (out && (endIdle() || borrow(Admission.MOST_EVICTED))) {
      retryLater(); // or sooner, when their sockets are closed
      return;
    }
    boolean closing = freed != freedBefore; // of clients that were refused in this turn
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

  /// Whether there are no descriptors in truth. The limit may be another by now.
  private boolean isOut() {
    room = DescriptorRoom.ofProcess();
    return !kernel.fillReserve() || level(-1) != DescriptorRoom.Level.PLENTY;
  }

  private boolean endIdle() {
    if (!admission.mayHavePlace(true)) {
      return false;
    }
    if (admission.evictIdle(Admission.MOST_EVICTED) == 0) { // all are of this turn
      loop.tasks().schedule(1, this::goOn);
    }
    return true;
  }

  /// Has the other loop that has most idle connections end some.
  ///
  /// @return false when none has more than it was asked for
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
                borrowed = 0; // a loop that has ended does not answer
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

  /// @param socket accepted just now; negative for none
  private DescriptorRoom.Level level(int socket) {
    int closing = admission.owed() + borrowed + (int) (freed - freedBefore);
    DescriptorRoom.Level level =
        room.level(kernel, socket, closing, connectionsOfAll(), loop.turn().now());
    int most = anyWaits ? Math.min(room.batch(), admission.places()) : room.batch();
    kernel.acceptAtMost(most, room.batchEnd());
    return level;
  }

  /// Returns how many connections the loops of the process have: none of them counts as a file.
  private int connectionsOfAll() {
    int count = admission.count();
    for (DescriptorLender each : lenders) {
      count += each.connectionCount();
    }
    return count;
  }

  /// Lets the clients of starved listeners in if there is room for them now.
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

  /// Accepts no more until there is room; what was accepted before may still come.
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

  /// The close of a socket has been staged.
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
      loop.tasks().schedule(1, () -> {}); // the next turn carries out the closes, and goes on
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
    connection.openedInTurn = loop.counters().turns + 1; // it is counted at its end
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
