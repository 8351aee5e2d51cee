package sluice.nio.front;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.FrontServer;
import sluice.http.front.FrontApplication;
import sluice.http.front.FrontLink;
import sluice.http.front.FrontedConnection;
import sluice.nio.channels.AcceptPort;
import sluice.nio.channels.SluiceServerSocketChannel;
import sluice.nio.channels.SluiceSocketChannel;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// A port for a listening channel whose clients connect to the front first. The front's loop
/// delivers connections to this port. Accepting threads hold the channel's accept lock.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `waiting`, `closed` | any thread | under this object's lock | the same |
/// | `given` | accepting threads | under the accept lock | the same |
/// | `toTell`, `came`, `toldOfTls` | the front's loop | plain | plain |
final class FrontListener implements AcceptPort, FrontApplication {
  private final SluiceServerSocketChannel channel;
  private final Front front;
  private final ArrayDeque<FrontStream> waiting = new ArrayDeque<>();
  private boolean closed;

  /// The stream that was returned last by [#accept].
  private @Nullable FrontStream given;

  private final List<FrontStream> toTell = new ArrayList<>();
  private boolean came;
  private boolean toldOfTls;
  private volatile FrontServer.@Nullable Listening listening;

  FrontListener(SluiceServerSocketChannel channel, Front front) {
    this.channel = channel;
    this.front = front;
  }

  void start(FrontServer.Listening started) {
    listening = started;
  }

  /// Instructs a loop to accept connections for the channel, unless the channel is closed.
  void adopt(FrontServer server) {
    try {
      channel.core().enterBlocking();
      try {
        start(server.listen(channel.core().fd(), this));
      } finally {
        channel.core().leaveBlocking();
      }
    } catch (ClosedChannelException gone) {
      return;
    } catch (IOException e) {
      complain(e);
    }
    boolean late;
    synchronized (this) {
      late = closed;
    }
    if (late) {
      beforeClose();
    }
  }

  /// Reports that no loop accepts connections for the channel.
  void complain(IOException why) {
    Front.complain(channel.localAddress() + " accepts no client: " + why.getMessage());
  }

  /// Queues the channel for another owner because the loop that accepted its connections has
  /// terminated.
  void awaitAnotherOwner() {
    listening = null;
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    front.await(this);
  }

  // ---- the front's loop -----------------------------------------------------------------------

  @Override
  public @Nullable FrontLink connected(FrontedConnection connection) {
    int fd = connection.duplicate();
    if (fd < 0) {
      return null;
    }
    FrontStream stream = new FrontStream(this, connection, fd);
    synchronized (this) {
      if (closed) {
        Files.close(fd);
        return null;
      }
      waiting.add(stream);
    }
    came = true;
    return stream;
  }

  @Override
  public void secured() {
    if (!toldOfTls) {
      toldOfTls = true;
      front.say(
          channel.localAddress()
              + " speaks TLS, which only the application can read: it answers everything there."
              + " Fix: end TLS before it, or let it answer a port without TLS");
    }
  }

  /// Records that the channel of a stream must be notified.
  void tell(FrontStream stream) {
    toTell.add(stream);
  }

  @Override
  public void told() {
    if (came) {
      came = false;
      channel.core().inputCame();
    }
    for (int i = 0; i < toTell.size(); i++) {
      toTell.get(i).notifyReady();
    }
    toTell.clear();
  }

  // ---- the channel ----------------------------------------------------------------------------

  @Override
  public boolean bringsAll() {
    return true;
  }

  @Override
  public int accept() {
    synchronized (this) {
      FrontStream next = waiting.poll();
      given = next;
      return next == null ? -Errno.EAGAIN : next.fd();
    }
  }

  @Override
  public @Nullable SocketAddress remote(int fd) {
    try {
      return Sockets.getpeername(fd);
    } catch (SysException gone) {
      return null;
    }
  }

  @Override
  public void accepted(SluiceSocketChannel accepted) {
    FrontStream stream = given;
    given = null;
    if (stream != null) {
      stream.serve(accepted);
    }
  }

  @Override
  public synchronized boolean acceptable() {
    return !waiting.isEmpty();
  }

  @Override
  public boolean isOver() {
    return false;
  }

  @Override
  public void release() {
    // Ignored, because the channel always belongs to the front.
  }

  /// Resets the connections that the application has not accepted, just as the kernel resets those
  /// in its accept queue.
  @Override
  public void beforeClose() {
    front.forget(this);
    FrontServer.Listening open = listening;
    if (open != null) {
      open.close();
    }
    List<FrontStream> left;
    synchronized (this) {
      closed = true;
      left = List.copyOf(waiting);
      waiting.clear();
    }
    left.forEach(FrontStream::drop);
  }
}
