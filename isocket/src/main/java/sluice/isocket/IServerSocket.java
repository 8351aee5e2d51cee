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
/// **Interruptlets.** Each incoming message is first shown to the interruptlet on the loop's
/// thread. A message that the interruptlet passes is delivered to the [ISocket] unchanged. While an
/// interruptlet is admitted, `accept` returns a connection once the interruptlet has passed one of
/// its messages, or once its client has sent nothing for 200 ms. Connections that arrive during
/// that time have `TCP_NODELAY` set, so that replies are sent immediately.
///
/// **Order.** The interruptlet is shown the next message of an accepted connection when the
/// application has read all previous input and attempts to read more, because a server has usually
/// written its reply by then. A server that reads further input before it has replied must not have
/// an interruptlet.
public final class IServerSocket extends ServerSocket {
  /// The default time limit for one run of an interruptlet: 10 ms.
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
  /// @param loop the loop to use, or null for the shared loop
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

  /// Admits an interruptlet and replaces the current one, while connections are served. Messages
  /// that the loop begins to handle after this method has returned are shown to the new
  /// interruptlet.
  ///
  /// @param name the name shown in reports
  /// @param framing determines where a message ends; [Framing#NONE] accepts all bytes that have
  ///   arrived
  /// @param perLoop creates the interruptlet on the loop's thread when its first message arrives
  /// @param limit the maximum time of one run, at least 1 ms; after a longer run the interruptlet
  ///   is disabled, and messages go to the ISockets
  /// @return the guard, which indicates if the interruptlet exceeded its limit, and which can be
  ///   passed to [#evict(HandlerGuard)]
  public HandlerGuard admit(
      String name, Framing framing, Supplier<? extends Interruptlet> perLoop, Duration limit) {
    return server.handlers().admit(name, framing, perLoop, limit);
  }

  /// Admits an interruptlet after warming it up. The interruptlet first runs on the calling thread,
  /// on an in-process network, until the JVM has compiled it or two seconds have elapsed. The
  /// server continues to run as before in the meantime. The remaining delay of the first client is
  /// reported as `handler_first_us` by `sluice stat` and in the log.
  ///
  /// @param name the name shown in reports
  /// @param framing determines where a message ends
  /// @param perLoop creates the interruptlet; also invoked on the calling thread for the warm-up
  /// @param limit the maximum time of one run, at least 1 ms
  /// @param sample a complete message; the handler must tolerate receiving it many times
  /// @throws IOException if the sample is not a complete message
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

  /// Evicts the interruptlet. All subsequent messages are delivered to the ISockets.
  public void evict() {
    server.handlers().evict();
  }

  /// Evicts the given interruptlet unless it has been replaced.
  public void evict(HandlerGuard guard) {
    server.handlers().evict(guard);
  }

  /// Returns the number of bytes that the connections have received, both for interruptlets and for
  /// ISockets.
  public long receivedBytes() {
    return server.handlers().counts().received.get();
  }

  /// Returns the number of bytes that interruptlets and ISockets have submitted for sending.
  public long sentBytes() {
    return server.handlers().counts().sent.get();
  }
}
