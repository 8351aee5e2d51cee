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

/// A [ServerSocket] whose connections a loop accepts and receives for: everything that
/// `ServerSocket` does, [#accept] gives [ISocket]s, and an interruptlet may answer messages before
/// they come to these. Any thread may call.
///
/// **In front.** A message that arrives is shown to the interruptlet on the loop's thread. What it
/// passes comes to the [ISocket], untouched. While an interruptlet is admitted, `accept` returns a
/// connection when the interruptlet has passed a message of it, or when its client has been silent
/// for 200 ms. Connections that come meanwhile have `TCP_NODELAY`, so that replies leave at once.
///
/// **Order.** The interruptlet sees the next message of an accepted connection when the application
/// has read all before and asks for more: that is where a server has written its reply. A server
/// that reads on before it has replied must not have an interruptlet.
public final class IServerSocket extends ServerSocket {
  /// Longest run of an interruptlet for which no limit is given.
  public static final Duration DEFAULT_LIMIT = Duration.ofMillis(10);

  private final ServerImpl server;
  private final @Nullable ISocketLoop loop;

  /// Not bound yet, on the shared loop.
  public IServerSocket() throws IOException {
    this((ISocketLoop) null);
  }

  /// Not bound yet.
  ///
  /// @param loop null for the shared one
  public IServerSocket(@Nullable ISocketLoop loop) throws IOException {
    this(new ServerImpl(loop), loop);
  }

  private IServerSocket(ServerImpl server, @Nullable ISocketLoop loop) {
    super(server);
    this.server = server;
    this.loop = loop;
  }

  /// Listens, as [ServerSocket#ServerSocket(int)].
  public IServerSocket(int port) throws IOException {
    this(port, 50, null);
  }

  /// Listens, as [ServerSocket#ServerSocket(int, int)].
  public IServerSocket(int port, int backlog) throws IOException {
    this(port, backlog, null);
  }

  /// Listens, as [ServerSocket#ServerSocket(int, int, InetAddress)].
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

  /// Shows messages to an interruptlet from now on, instead of the one before, while connections
  /// are served. Messages that the loop begins to handle after this has returned see the new one.
  ///
  /// @param name for reports
  /// @param framing where messages end; [Framing#NONE] for whatever has arrived
  /// @param perLoop makes the interruptlet, on the loop's thread, at its first message
  /// @param limit longest run, at least 1 ms; after a longer one it is disabled, and messages come
  ///   to the ISockets
  /// @return says whether the interruptlet overran, and evicts it with [#evict]
  public HandlerGuard admit(
      String name, Framing framing, Supplier<? extends Interruptlet> perLoop, Duration limit) {
    return server.handlers().admit(name, framing, perLoop, limit);
  }

  /// As above, once the interruptlet is warm: it runs on the calling thread, on a network inside of
  /// the process, until the JVM has compiled it, two seconds at most. Meanwhile all goes on as
  /// before. What the first client has waited for nevertheless is `handler_first_us` in `sluice
  /// stat`, and in the log.
  ///
  /// @param perLoop makes one more, on the calling thread, which is warmed
  /// @param sample a whole message, which the handler must bear to see often
  /// @throws IOException when the sample is no whole message
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

  /// All messages come to the ISockets from now on.
  public void evict() {
    server.handlers().evict();
  }

  /// As [#evict()], unless another interruptlet has been admitted since.
  public void evict(HandlerGuard guard) {
    server.handlers().evict(guard);
  }

  /// Bytes that the connections have received, for interruptlets and for ISockets.
  public long receivedBytes() {
    return server.handlers().counts().received.get();
  }

  /// Bytes that interruptlets and ISockets have given to be sent.
  public long sentBytes() {
    return server.handlers().counts().sent.get();
  }
}
