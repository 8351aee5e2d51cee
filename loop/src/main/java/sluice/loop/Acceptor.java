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

  /// Lets nobody new into the accept queues that are ours alone.
  ///
  /// @return the ports where that is certain, for [AcceptQueues]
  Set<Integer> refuseNew() {
    Set<Integer> ports = new HashSet<>();
    for (Listener listener : listeners) {
      if (!listener.adopted && loop.transport().refuseNew(listener.handle)) {
        port(listener).ifPresent(ports::add);
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

  private void stop(Listener listener) {
    if (!listener.stopped) {
      listener.stopped = true;
      if (listener.armed) {
        loop.engine().cancel(Token.of(Token.ACCEPT, 0, listener.index));
      } else {
        loop.transport().close(listener.handle);
      }
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
      loop.transport().close(listener.handle);
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
