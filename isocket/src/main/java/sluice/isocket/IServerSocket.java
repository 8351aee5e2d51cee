package sluice.isocket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;
import sluice.loop.server.WarmUp;

/// A [ServerSocket] whose connections are accepted and received by a loop. It does everything that
/// `ServerSocket` does; [#accept] returns [ISocket]s, and an interruptlet may answer messages
/// before they reach these. Any thread may call.
///
/// **Interruptlets.** An incoming message is first shown to the interruptlet on the loop's thread.
/// A message that it passes reaches the [ISocket] untouched. While an interruptlet is admitted,
/// `accept` returns a connection once the interruptlet has passed one of its messages, or once its
/// client has been silent for 200 ms. Connections that arrive meanwhile have `TCP_NODELAY` set, so
/// that replies leave at once.
///
/// **Order.** The interruptlet sees the next message of an accepted connection when the application
/// has read all previous input and asks for more, because at that point a server has written its
/// reply. A server that reads on before it has replied must not have an interruptlet.
public final class IServerSocket extends ServerSocket {
  /// The time limit of one run of an interruptlet if none is given: 10 ms.
  public static final Duration DEFAULT_LIMIT = Duration.ofMillis(10);

  private final ServerImpl server;
  private final @Nullable ISocketLoop loop;

  /// Creates an unbound server socket on the shared loop.
  ///
  /// @throws IOException if the shared loop cannot be started
  public IServerSocket() throws IOException {
    this((ISocketLoop) null);
  }

  /// Creates an unbound server socket.
  ///
  /// @param loop the loop, or null for the shared one
  public IServerSocket(@Nullable ISocketLoop loop) throws IOException {
    this(new ServerImpl(loop), loop);
  }

  private IServerSocket(ServerImpl server, @Nullable ISocketLoop loop) {
    super(server);
    this.server = server;
    this.loop = loop;
  }

  /// Creates a listening server socket, as [ServerSocket#ServerSocket(int)] does.
  public IServerSocket(int port) throws IOException {
    this(port, 50, null);
  }

  /// Creates a listening server socket, as [ServerSocket#ServerSocket(int, int)] does.
  public IServerSocket(int port, int backlog) throws IOException {
    this(port, backlog, null);
  }

  /// Creates a listening server socket, as [ServerSocket#ServerSocket(int, int, InetAddress)] does.
  public IServerSocket(int port, int backlog, @Nullable InetAddress host) throws IOException {
    this();
    try {
      bind(new InetSocketAddress(host, port), backlog);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public ISocket accept() throws IOException {
    if (isClosed()) {
      throw new SocketException("Socket is closed");
    }
    if (!isBound()) {
      throw new SocketException("Socket is not bound yet");
    }
    ISocket accepted = new ISocket(new StreamImpl(loop));
    implAccept(accepted);
    return accepted;
  }

  /// Admits an interruptlet in place of the current one, while connections are served. Messages
  /// that the loop begins to handle after this call has returned are shown to the new one.
  ///
  /// @param name the name shown in reports
  /// @param framing finds the end of a message; [Framing#NONE] takes all bytes that have arrived
  /// @param perLoop creates the interruptlet, on the loop's thread, at its first message
  /// @param limit the maximum time of one run, at least 1 ms; after a longer run the interruptlet
  ///   is disabled, and messages go to the ISockets
  /// @return the guard, which shows if the interruptlet overran, and evicts it with
  ///   [#evict(HandlerGuard)]
  public HandlerGuard admit(
      String name, Framing framing, Supplier<? extends Interruptlet> perLoop, Duration limit) {
    return server.handlers().admit(name, framing, perLoop, limit);
  }

  /// Admits an interruptlet once it is warm. It first runs on the calling thread, on a network
  /// inside of the process, until the JVM has compiled it, for two seconds at most. Meanwhile the
  /// server goes on as before. The time that the first client still waits is `handler_first_us` in
  /// `sluice stat` and in the log.
  ///
  /// @param name the name shown in reports
  /// @param framing finds the end of a message
  /// @param perLoop creates the interruptlet; also called on the calling thread for the warm-up
  /// @param limit the maximum time of one run, at least 1 ms
  /// @param sample a whole message; the handler must tolerate seeing it many times
  /// @throws IOException if the sample is not a whole message
  public HandlerGuard admit(
      String name,
      Framing framing,
      Supplier<? extends Interruptlet> perLoop,
      Duration limit,
      byte[] sample)
      throws IOException {
    WarmUp.before(name, framing, perLoop, sample);
    return admit(name, framing, perLoop, limit);
  }

  /// Evicts the interruptlet. From now on, all messages go to the ISockets.
  public void evict() {
    server.handlers().evict();
  }

  /// Evicts an interruptlet, unless another one has been admitted since.
  public void evict(HandlerGuard guard) {
    server.handlers().evict(guard);
  }

  /// Returns the number of bytes that the connections have received, for interruptlets and for
  /// ISockets.
  public long receivedBytes() {
    return server.handlers().counts().received.get();
  }

  /// Returns the number of bytes that interruptlets and ISockets have passed on for sending.
  public long sentBytes() {
    return server.handlers().counts().sent.get();
  }
}
