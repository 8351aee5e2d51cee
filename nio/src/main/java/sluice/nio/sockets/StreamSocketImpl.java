package sluice.nio.sockets;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.sys.sockets.NumberedOptions;

/// A `SocketImpl` that delegates to another socket. The other socket is the view of a channel that
/// a [ListeningSocketImpl] has accepted, or a JDK socket if the application connects it. Any thread
/// may call.
final class StreamSocketImpl extends SocketImpl {
  /// A factory for the sockets that the application connects.
  interface Outgoing {
    Socket open() throws SocketException;
  }

  private final Outgoing outgoing;

  /// The underlying socket, or null until the first operation has determined its kind.
  private volatile @Nullable Socket socket;

  StreamSocketImpl(Outgoing outgoing) {
    this.outgoing = outgoing;
  }

  /// Makes this the implementation of an accepted connection.
  void become(Socket accepted) {
    socket = accepted;
  }

  private Socket socket() throws SocketException {
    Socket known = socket;
    if (known == null) {
      throw new SocketException("Socket is not created");
    }
    return known;
  }

  /// Makes this the implementation of a socket that the application connects.
  @Override
  protected void create(boolean stream) throws IOException {
    socket = outgoing.open();
  }

  @Override
  protected void connect(String host, int port) throws IOException {
    connect(new InetSocketAddress(host, port), 0);
  }

  @Override
  protected void connect(InetAddress address, int port) throws IOException {
    connect(new InetSocketAddress(address, port), 0);
  }

  @Override
  protected void connect(SocketAddress address, int timeout) throws IOException {
    socket().connect(address, timeout);
  }

  @Override
  protected void bind(InetAddress host, int port) throws IOException {
    socket().bind(new InetSocketAddress(host, port));
  }

  @Override
  protected void listen(int backlog) throws IOException {
    throw new SocketException("a stream socket does not listen");
  }

  @Override
  protected void accept(SocketImpl accepted) throws IOException {
    throw new SocketException("a stream socket does not accept");
  }

  @Override
  protected InputStream getInputStream() throws IOException {
    return ClosedSockets.input(socket().getInputStream());
  }

  @Override
  protected OutputStream getOutputStream() throws IOException {
    return ClosedSockets.output(socket().getOutputStream());
  }

  @Override
  protected int available() throws IOException {
    return socket().getInputStream().available();
  }

  @Override
  protected void close() throws IOException {
    Socket known = socket;
    if (known != null) {
      known.close();
    }
  }

  @Override
  protected void shutdownInput() throws IOException {
    socket().shutdownInput();
  }

  @Override
  protected void shutdownOutput() throws IOException {
    socket().shutdownOutput();
  }

  @Override
  protected boolean supportsUrgentData() {
    return true;
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    socket().sendUrgentData(data);
  }

  @Override
  protected @Nullable InetAddress getInetAddress() {
    Socket known = socket;
    return known == null ? null : known.getInetAddress();
  }

  @Override
  protected int getPort() {
    Socket known = socket;
    return known == null ? 0 : known.getPort();
  }

  @Override
  protected int getLocalPort() {
    Socket known = socket;
    return known == null ? -1 : known.getLocalPort();
  }

  @Override
  public void setOption(int option, @Nullable Object value) throws SocketException {
    Socket known = socket();
    if (option == SO_TIMEOUT && value instanceof Integer millis) {
      known.setSoTimeout(millis);
    } else if (option == SO_OOBINLINE && value instanceof Boolean on) {
      known.setOOBInline(on);
    } else {
      NumberedOptions.set(known::setOption, option, value);
    }
  }

  @Override
  public @Nullable Object getOption(int option) throws SocketException {
    Socket known = socket();
    return switch (option) {
      case SO_TIMEOUT -> known.getSoTimeout();
      case SO_OOBINLINE -> known.getOOBInline();
      case SO_BINDADDR -> known.getLocalAddress();
      default -> NumberedOptions.get(known::getOption, option);
    };
  }

  @Override
  protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
    socket().setOption(name, value);
  }

  @Override
  protected <T> T getOption(SocketOption<T> name) throws IOException {
    return socket().getOption(name);
  }

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    Socket known = socket;
    return known == null ? Set.of() : known.supportedOptions();
  }
}
