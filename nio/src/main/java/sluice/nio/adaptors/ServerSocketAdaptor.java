package sluice.nio.adaptors;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.NetErrors;

/// The `ServerSocket` view of a channel. All operations are delegated to the channel. Any thread
/// may use it.
///
/// @param <C> the type of the channel
public final class ServerSocketAdaptor<C extends ServerSocketChannel & AdaptedListener>
    extends ServerSocket {
  private static final int BACKLOG = 50;

  private final C channel;
  private final AdaptorOptions options;

  private ServerSocketAdaptor(C channel) {
    super(new NoSocketImpl());
    this.channel = channel;
    this.options = new AdaptorOptions(channel);
  }

  public static <C extends ServerSocketChannel & AdaptedListener> ServerSocket create(C channel) {
    return new ServerSocketAdaptor<>(channel);
  }

  private @Nullable InetSocketAddress local() {
    return (InetSocketAddress) channel.localAddress();
  }

  @Override
  public void bind(@Nullable SocketAddress local) throws IOException {
    bind(local, BACKLOG);
  }

  @Override
  public void bind(@Nullable SocketAddress local, int backlog) throws IOException {
    try {
      channel.bind(local == null ? new InetSocketAddress(0) : local, backlog);
    } catch (Exception problem) {
      throw NetErrors.forAdaptor(problem);
    }
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    InetSocketAddress local = local();
    return local == null ? null : local.getAddress();
  }

  @Override
  public int getLocalPort() {
    InetSocketAddress local = local();
    return local == null ? -1 : local.getPort();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return local();
  }

  @Override
  public Socket accept() throws IOException {
    try {
      long nanos = options.timeoutNanos();
      SocketChannel accepted = nanos > 0 ? channel.blockingAccept(nanos) : channel.accept();
      if (accepted == null) {
        throw new IllegalBlockingModeException();
      }
      return accepted.socket();
    } catch (IOException known) {
      throw known; // as the JDK's: also that the channel was closed meanwhile
    } catch (Exception problem) {
      throw NetErrors.forAdaptor(problem);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public ServerSocketChannel getChannel() {
    return channel;
  }

  @Override
  public boolean isBound() {
    return channel.localAddress() != null;
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public void setSoTimeout(int timeout) throws SocketException {
    options.timeoutMillis(timeout);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    return options.timeoutMillis();
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    options.set(StandardSocketOptions.SO_REUSEADDR, on);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return options.get(StandardSocketOptions.SO_REUSEADDR);
  }

  @Override
  public void setReceiveBufferSize(int size) throws SocketException {
    options.setSize(StandardSocketOptions.SO_RCVBUF, size, "size cannot be 0 or negative");
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return options.get(StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
    channel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return channel.getOption(name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return channel.supportedOptions();
  }

  @Override
  public String toString() {
    return isBound()
        ? "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]"
        : "ServerSocket[unbound]";
  }
}
