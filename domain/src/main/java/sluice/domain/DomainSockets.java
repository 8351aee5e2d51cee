package sluice.domain;

import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Channel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsideLoader;

/// The sockets, their channels and the selectors that one domain has open. Any thread may call.
///
/// They are not held: what is dropped without a close is closed by the JDK when it is collected,
/// and counts until then. What has been closed is found when the list is full or asked for, so a
/// close costs nothing. An object of a domain's own class counts until it is collected, because its
/// `isClosed` may be code of the domain.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | open, look, ended | any | under the lock | under the lock |
/// | closing | the thread that closes all sockets | volatile | volatile |
final class DomainSockets {
  private static final int FIRST_LOOK = 64;

  private final String domain;
  private final int limit;
  private List<WeakReference<Closeable>> open = new ArrayList<>();
  private int look = FIRST_LOOK;
  private boolean ended;
  private volatile @Nullable Thread closing;

  DomainSockets(DomainConfig config) {
    domain = config.name();
    limit = config.budget().sockets();
  }

  /// Before one is opened.
  ///
  /// @throws IllegalStateException if the domain has as many as its budget allows, or has ended
  synchronized void opening() {
    if (ended || (open.size() >= limit && count() >= limit)) {
      throw refusal();
    }
  }

  private IllegalStateException refusal() {
    return new IllegalStateException(
        "domain "
            + domain
            + " opens a socket. Why: "
            + (ended ? "the domain has ended" : "its budget is " + limit + " sockets and selectors")
            + ". Fix: "
            + (ended
                ? "create it again"
                : "close those not needed, or raise the budget: sockets=N"));
  }

  /// After one was opened.
  ///
  /// @param made null if none was: a channel that does not block has nothing to accept
  /// @throws IllegalStateException as [#opening]; the socket was closed then
  void opened(@Nullable Object made) {
    if (made instanceof Pipe pipe) {
      opened(pipe.source());
      opened(pipe.sink());
    } else if (made instanceof Closeable socket) {
      IllegalStateException refused = add(socket);
      if (refused != null) {
        try {
          socket.close();
        } catch (IOException e) {
          refused.addSuppressed(e);
        }
        throw refused;
      }
    }
  }

  private synchronized @Nullable IllegalStateException add(Closeable socket) {
    if (ended || (open.size() >= limit && count() >= limit)) {
      return refusal();
    }
    if (open.size() >= look) {
      look = Math.max(FIRST_LOOK, 2 * count());
    }
    open.add(new WeakReference<>(socket));
    return null;
  }

  /// How many are open.
  synchronized int count() {
    open.removeIf(each -> {
      Closeable socket = each.get();
      return socket == null || !isOpen(socket);
    });
    return open.size();
  }

  private static boolean isOpen(Closeable made) {
    if (made.getClass().getClassLoader() instanceof InsideLoader) {
      return true;
    }
    return switch (made) {
      case Channel channel -> channel.isOpen();
      case Selector selector -> selector.isOpen();
      case Socket socket -> !socket.isClosed();
      case ServerSocket socket -> !socket.isClosed();
      case DatagramSocket socket -> !socket.isClosed();
      default -> true;
    };
  }

  /// Refuses new ones and has those there are closed, by a thread of its own: a close waits where a
  /// socket lingers. What waits for one of them is woken by that.
  void end() {
    List<WeakReference<Closeable>> last;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      count();
      last = open;
      open = new ArrayList<>();
    }
    if (!last.isEmpty()) {
      closing =
          Thread.ofPlatform()
              .daemon()
              .name("close-" + domain)
              .start(() -> last.forEach(this::close));
    }
  }

  private void close(WeakReference<Closeable> each) {
    Closeable socket = each.get();
    if (socket != null) {
      try {
        socket.close();
      } catch (IOException | RuntimeException | Error e) {
        // Its own code came to a gate, or the kernel complains: the JDK closes it with its object.
      }
    }
  }

  /// Whether those that were open at the end are closed.
  boolean areClosed() {
    Thread thread = closing;
    return thread == null || !thread.isAlive();
  }
}
