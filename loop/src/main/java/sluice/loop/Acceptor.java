package sluice.loop;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The listeners of a loop, and how a socket becomes a connection. Owned by the loop's thread.
final class Acceptor {
  private static final long RETRY_NANOS = 100_000_000L;

  private final Loop loop;
  private final Connections connections;
  private final List<Listener> listeners = new ArrayList<>();

  Acceptor(Loop loop, Connections connections) {
    this.loop = loop;
    this.connections = connections;
  }

  /// Begins to accept.
  Listener add(int handle, Protocol protocol, boolean adopted, @Nullable TlsContext tls) {
    Listener listener = new Listener(loop, listeners.size(), handle, protocol, adopted, tls);
    listeners.add(listener);
    arm(listener);
    return listener;
  }

  private void arm(Listener listener) {
    if (!listener.armed && !listener.stopped) {
      listener.armed = true;
      loop.transport().accept(listener.handle, Token.of(Token.ACCEPT, 0, listener.index));
    }
  }

  /// Lets no new client into the accept queues that are ours alone, and stops the listeners where
  /// the kernel cannot do that.
  ///
  /// @return the ports whose queues will be empty at some time, for [AcceptQueues]
  Set<Integer> refuseNew() {
    Set<Integer> ports = new HashSet<>();
    for (Listener listener : listeners) {
      if (!listener.adopted && loop.transport().refuseNew(listener.handle)) {
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

  /// Where the transport can, what waits is accepted first; but the queue of a socket that was
  /// passed in belongs to the process that passed it too.
  private void stop(Listener listener) {
    if (listener.stopped) {
      return;
    }
    listener.stopped = true;
    if (!listener.armed) {
      close(listener);
    } else if (!listener.adopted && loop.transport().acceptRestAndClose(listener.handle)) {
      listener.closed = true;
    } else {
      loop.engine().cancel(Token.of(Token.ACCEPT, 0, listener.index));
    }
  }

  private void close(Listener listener) {
    if (!listener.closed) {
      listener.closed = true;
      loop.transport().close(listener.handle);
    }
  }

  /// Whether all listeners are closed.
  boolean stopped() {
    return listeners.stream().allMatch(each -> each.stopped && !each.armed);
  }

  void accepted(long token, int result, int flags) {
    Listener listener = listeners.get(Token.index(token));
    if (result >= 0) {
      loop.counters().accepted++;
      open(listener, result);
    }
    if (Completion.hasMore(flags)) {
      return;
    }
    listener.armed = false;
    if (listener.stopped) {
      close(listener);
      loop.stopWhenDrained();
    } else if (result >= 0 || result == -Errors.ECONNABORTED) {
      arm(listener);
    } else {
      loop.counters().acceptErrors++;
      loop.schedule(RETRY_NANOS, () -> arm(listener));
    }
  }

  private void open(Listener listener, int socket) {
    Connection connection = connections.add(loop, listener, socket);
    if (connection == null) {
      loop.counters().refusedConnections++;
      loop.transport().close(socket);
      return;
    }
    if (connection.overLimit) {
      loop.counters().refusedConnections++;
      loop.calls().overloaded(connection);
    } else {
      loop.calls().opened(connection);
      if (loop.draining()) {
        loop.calls().draining(connection);
      }
    }
    connection.input.arm();
  }
}
