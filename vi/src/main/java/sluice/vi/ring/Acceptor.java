package sluice.vi.ring;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import sluice.loop.engine.Completion;
import sluice.loop.engine.ListenOptions;
import sluice.loop.engine.Token;
import sluice.sys.Errno;

/// A listening socket that serves all tags of its host and port. Owned by the loop's thread.
///
/// Limits: a connection that has not sent its greeting within [#SILENT_NANOS] is closed. At most
/// [#MOST_SILENT] such connections are kept open, and further ones are closed.
final class Acceptor implements RingLoop.Handler {
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int MOST_SILENT = 256;

  private final RingLoop loop;
  private final int slot;
  private final int listener;
  private final Map<Integer, Consumer<Arrival>> tags = new HashMap<>();
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();
  private boolean accepting;
  private boolean closing;
  private boolean finished;
  private int silent;

  private Acceptor(RingLoop loop, InetSocketAddress address) throws IOException {
    this.loop = loop;
    listener = loop.sockets().listen(address, ListenOptions.DEFAULT);
    slot = loop.add(this);
    accept();
  }

  static Acceptor open(RingLoop loop, InetSocketAddress address) throws IOException {
    return new Acceptor(loop, address);
  }

  /// Adds a tag.
  ///
  /// @return false if the tag already has a listener
  boolean add(int tag, Consumer<Arrival> arrivals) {
    return tags.putIfAbsent(tag, arrivals) == null;
  }

  void remove(int tag) {
    tags.remove(tag);
  }

  boolean isUnused() {
    return tags.isEmpty();
  }

  private void accept() {
    if (!accepting && !closing) {
      accepting = true;
      loop.sockets().accept(listener, loop.token(Token.ACCEPT, slot));
    }
  }

  @Override
  public void completed(int op, int result, long flags) {
    if (!Completion.hasMore(flags)) {
      accepting = false;
    }
    if (result >= 0) {
      arrived(result);
    }
    if (closing) {
      finish();
    } else if (result >= 0 || result == -Errno.ECONNABORTED || result == -Errno.EINTR) {
      accept(); // after a shortage of descriptors, the next sweep does
    }
  }

  private void arrived(int socket) {
    silent++;
    Arrival arrival = new Arrival(this::heard, () -> silent--);
    RingConnection connection = RingConnection.accepted(loop, socket, arrival);
    arrival.connection(connection);
    connection.deadline(System.nanoTime() + SILENT_NANOS);
    if (closing || silent > MOST_SILENT) {
      arrival.drop();
    }
  }

  private void heard(Arrival arrival) {
    Consumer<Arrival> wanted = tags.get(arrival.tag());
    if (wanted == null) {
      arrival.refuse(Frame.NO_TAG);
    } else {
      wanted.accept(arrival);
    }
  }

  /// Closes the listening socket.
  ///
  /// @return a future that completes when the port is free again
  CompletableFuture<Boolean> close() {
    if (!closing) {
      closing = true;
      if (accepting) {
        loop.sockets().cancel(loop.token(Token.ACCEPT, slot));
      } else {
        finish();
      }
    }
    return closed;
  }

  private void finish() {
    if (!accepting && !finished) {
      finished = true;
      loop.sockets().close(listener);
      loop.remove(slot);
      loop.whenSubmitted(() -> closed.complete(true));
    }
  }

  @Override
  public void sweep(long now, boolean stops) {
    if (stops) {
      CompletableFuture<Boolean> _ = close();
    } else {
      accept();
    }
  }
}
