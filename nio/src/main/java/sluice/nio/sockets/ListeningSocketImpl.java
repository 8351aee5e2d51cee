package sluice.nio.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nio.adaptors.AdaptedListener;
import sluice.sys.sockets.NumberedOptions;

/// A `SocketImpl` that implements a `ServerSocket` with a listening channel. Any thread may call
/// it. `ServerSocket` calls [#create] first, exactly once.
final class ListeningSocketImpl extends SocketImpl {
  private final SelectorProvider provider;
  private volatile @Nullable ServerSocket channel;
  private volatile @Nullable SocketAddress wanted;

  ListeningSocketImpl(SelectorProvider provider) {
    this.provider = provider;
  }

  private ServerSocket channel() throws SocketException {
    ServerSocket made = channel;
    if (made == null) {
      throw new SocketException("Socket is not created");
    }
    return made;
  }

  @Override
  protected void create(boolean stream) throws IOException {
    ServerSocketChannel opened = provider.openServerSocketChannel();
    if (opened instanceof AdaptedListener ours) {
      ours.behaveAsSocket();
    }
    channel = opened.socket();
  }

  @Override
  protected void bind(InetAddress host, int port) {
    wanted = new InetSocketAddress(host, port);
  }

  /// Binds and listens, which a channel does in a single operation.
  @Override
  protected void listen(int backlog) throws IOException {
    channel().bind(wanted, backlog);
  }

  /// Accepts a connection.
  ///
  /// @param socket the implementation of a socket, which is always a [StreamSocketImpl] because the
  ///   factory of `Socket` is also installed by [SocketFactories]
  @Override
  protected void accept(SocketImpl socket) throws IOException {
    if (!(socket instanceof StreamSocketImpl stream)) {
      throw new SocketException(
          "a socket of "
              + socket.getClass().getName()
              + " cannot take a client behind files. Fix: accept into a Socket without an"
              + " implementation of its own");
    }
    try {
      stream.become(channel().accept());
    } catch (ClosedChannelException closed) {
      throw ClosedSockets.of(closed);
    }
  }

  @Override
  protected void close() throws IOException {
    ServerSocket made = channel;
    if (made != null) {
      made.close();
    }
  }

  @Override
  protected @Nullable InetAddress getInetAddress() {
    ServerSocket made = channel;
    return made == null ? null : made.getInetAddress();
  }

  @Override
  protected int getLocalPort() {
    ServerSocket made = channel;
    return made == null ? -1 : made.getLocalPort();
  }

  @Override
  public void setOption(int option, @Nullable Object value) throws SocketException {
    ServerSocket made = channel();
    if (option == SO_TIMEOUT && value instanceof Integer millis) {
      made.setSoTimeout(millis);
    } else {
      NumberedOptions.set(made::setOption, option, value);
    }
  }

  @Override
  public @Nullable Object getOption(int option) throws SocketException {
    ServerSocket made = channel();
    try {
      return switch (option) {
        case SO_TIMEOUT -> made.getSoTimeout();
        case SO_BINDADDR -> made.getInetAddress();
        default -> NumberedOptions.get(made::getOption, option);
      };
    } catch (IOException problem) {
      throw NumberedOptions.asSocketException(problem);
    }
  }

  @Override
  protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
    channel().setOption(name, value);
  }

  @Override
  protected <T> T getOption(SocketOption<T> name) throws IOException {
    return channel().getOption(name);
  }

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    ServerSocket made = channel;
    return made == null ? Set.of() : made.supportedOptions();
  }

  // ---- what only a stream does ----------------------------------------------------------------

  private static SocketException listens() {
    return new SocketException("a listening socket has no bytes");
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
