package sluice.isocket;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import org.jspecify.annotations.Nullable;

/// A listening socket. A loop accepts its connections and adds them to its [AcceptQueue]. Any
/// thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `queue`, `listening` | the thread that binds | volatile | volatile, under this object's lock |
final class ServerImpl extends KernelImpl {
  private static final int DEFAULT_BACKLOG = 50;

  private final @Nullable ISocketLoop loop;
  private final Handlers handlers = new Handlers();
  private volatile @Nullable AcceptQueue queue;
  private volatile ISocketLoop.@Nullable Listening listening;

  /// @param loop the loop to use, or null for the shared loop
  ServerImpl(@Nullable ISocketLoop loop) {
    super(true);
    this.loop = loop;
  }

  Handlers handlers() {
    return handlers;
  }

  @Override
  protected void create(boolean stream) throws IOException {
    super.create(stream);
    setOption(SO_REUSEADDR, true); // as the JDK does on Linux
  }

  @Override
  protected void listen(int backlog) throws IOException {
    int most = backlog < 1 ? DEFAULT_BACKLOG : backlog;
    ISocketLoop joined = loop == null ? ISocketLoop.shared() : loop;
    AcceptQueue made = new AcceptQueue(most);
    ISocketLoop.Listening started;
    synchronized (this) {
      KernelSocket.listen(descriptor(), most);
      started = joined.listen(descriptor(), made, handlers);
      queue = made;
      listening = started;
    }
  }

  @Override
  protected void accept(SocketImpl accepted) throws IOException {
    AcceptQueue from = queue;
    if (from == null) {
      throw new SocketException("Not bound");
    }
    if (!(accepted instanceof StreamImpl into)) {
      throw new SocketException("an IServerSocket accepts ISockets only");
    }
    SharedStream stream = from.take(timeoutMillis);
    try {
      into.accepted(stream);
    } catch (SocketException e) {
      stream.close();
      throw e;
    }
  }

  @Override
  protected void close() {
    ISocketLoop.Listening open;
    AcceptQueue waiting;
    synchronized (this) {
      if (!markClosed()) {
        return;
      }
      open = listening;
      waiting = queue;
    }
    if (open != null) {
      open.close();
    }
    closeDescriptor();
    if (waiting != null) {
      waiting.close();
    }
  }

  // ---- not for this kind ----------------------------------------------------------------------

  private static SocketException listens() {
    return new SocketException("a listening isocket has no stream");
  }

  @Override
  protected void connect(String host, int port) throws IOException {
    throw listens();
  }

  @Override
  protected void connect(InetAddress address, int port) throws IOException {
    throw listens();
  }

  @Override
  protected void connect(SocketAddress address, int timeout) throws IOException {
    throw listens();
  }

  @Override
  protected InputStream getInputStream() throws IOException {
    throw listens();
  }

  @Override
  protected OutputStream getOutputStream() throws IOException {
    throw listens();
  }

  @Override
  protected int available() throws IOException {
    throw listens();
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    throw listens();
  }
}
