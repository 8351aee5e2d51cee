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
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import sluice.domain.inside.InsideLoader;
import sluice.domain.inside.OwnSocket;

/// The open sockets, channels and selectors of one domain. Any thread may call.
///
/// The objects are weakly referenced. An object that becomes unreachable without being closed is
/// closed by the JDK when it is garbage-collected, and counts until then. Closed objects are
/// removed when the list is full or is read, so that a close has no cost. An object of a domain's
/// own class counts until it is garbage-collected, because its `isClosed` method may be code of the
/// domain.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | open, look, ended | any | under the lock | under the lock |
/// | isClosed of an entry | threads of the domain | volatile | volatile |
final class DomainSockets {
  private static final int FIRST_LOOK = 64;

  private final String domain;
  private final int limit;
  private List<Opened> open = new ArrayList<>();
  private int look = FIRST_LOOK;
  private boolean ended;

  private static final class Opened extends WeakReference<Closeable> {
    private volatile boolean isClosed;

    Opened(Closeable socket) {
      super(socket);
    }
  }

  DomainSockets(DomainConfig config) {
    domain = config.name();
    limit = config.budget().sockets();
  }

  /// Checks the budget before a socket is opened.
  ///
  /// @throws IllegalStateException if the domain has reached the socket limit of its budget, or has
  ///   ended
  void opening() {
    askLayered();
    synchronized (this) {
      if (ended || isFull()) {
        throw refusal();
      }
    }
  }

  private boolean isFull() {
    return open.size() >= limit && count() >= limit;
  }

  /// Updates the state of TLS sockets. A TLS socket delegates to the underlying socket, which may
  /// have a class of the domain. Therefore this is only done by a thread of the domain that does
  /// not hold the lock.
  private void askLayered() {
    List<Opened> layered = new ArrayList<>();
    synchronized (this) {
      if (open.size() < Math.min(limit, look)) {
        return;
      }
      for (Opened each : open) {
        if (each.get() instanceof SSLSocket) {
          layered.add(each);
        }
      }
    }
    for (Opened each : layered) {
      each.isClosed |= each.get() instanceof SSLSocket socket && socket.isClosed();
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

  /// Records a socket that has been opened.
  ///
  /// @param made the socket, or null if none was opened because a non-blocking channel had no
  ///   connection to accept
  /// @throws IllegalStateException as [#opening] does, in which case the socket has been closed
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
    if (ended || isFull()) {
      return refusal();
    }
    if (open.size() >= look) {
      look = Math.max(FIRST_LOOK, 2 * count());
    }
    open.add(new Opened(socket));
    return null;
  }

  /// Returns the number of open sockets and selectors.
  synchronized int count() {
    open.removeIf(each -> !isOpen(each));
    return open.size();
  }

  /// Returns true unless the object is known to be closed. This method runs no code of the domain.
  private static boolean isOpen(Opened each) {
    Closeable made = each.get();
    if (made == null || each.isClosed) {
      return false;
    }
    if (made.getClass().getClassLoader() instanceof InsideLoader) {
      return true;
    }
    return switch (made) {
      case SSLSocket _ -> true;
      case Channel channel -> channel.isOpen();
      case Selector selector -> selector.isOpen();
      case Socket socket -> !socket.isClosed();
      case ServerSocket socket -> !socket.isClosed();
      case DatagramSocket socket -> !socket.isClosed();
      default -> true;
    };
  }

  /// Refuses new sockets from now on and returns the open ones.
  ///
  /// @return the open sockets, each to be passed to [#close]
  List<Closeable> end() {
    synchronized (this) {
      ended = true;
      List<Closeable> last = new ArrayList<>();
      for (Opened each : open) {
        Closeable socket = each.get();
        if (socket != null && isOpen(each)) {
          last.add(socket);
        }
      }
      open = new ArrayList<>();
      return last;
    }
  }

  /// Closes a socket, which wakes the threads that are blocked on it. The call may block, for
  /// example while a socket lingers, and may reach code of the domain in a lower layer. Overriding
  /// methods of the domain are not called.
  static void close(Closeable socket) throws IOException {
    if (socket instanceof OwnSocket own) {
      own.sluiceClose();
    } else {
      socket.close();
    }
  }
}
