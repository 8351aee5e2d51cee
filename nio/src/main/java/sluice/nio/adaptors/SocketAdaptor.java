package sluice.nio.adaptors;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.sockets.OptionTable;

/// The `Socket` view of a channel. All operations are delegated to the channel. Any thread may use
/// it.
///
/// @param <C> the type of the channel
public final class SocketAdaptor<C extends SocketChannel & AdaptedStream> extends Socket {
  private final C channel;
  private final AdaptorOptions options;

  private SocketAdaptor(C channel) throws SocketException {
    super(new NoSocketImpl());
    this.channel = channel;
    this.options = new AdaptorOptions(channel);
  }

  public static <C extends SocketChannel & AdaptedStream> Socket create(C channel) {
    try {
      return new SocketAdaptor<>(channel);
    } catch (SocketException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private @Nullable InetSocketAddress local() {
    return (InetSocketAddress) channel.localAddress();
  }

  private @Nullable InetSocketAddress remote() {
    return (InetSocketAddress) channel.remoteAddress();
  }

  @Override
  public void connect(SocketAddress remote) throws IOException {
    connect(remote, 0);
  }

  @Override
  @SuppressWarnings("NullAway") // applications do pass null
  public void connect(SocketAddress remote, int timeout) throws IOException {
    if (remote == null) {
      throw new IllegalArgumentException("connect: The address can't be null");
    }
    if (remote instanceof InetSocketAddress inet && inet.isUnresolved()) {
      if (!channel.isOpen()) {
        throw new SocketException("Socket is closed");
      }
      if (channel.isConnected()) {
        throw new SocketException("Already connected");
      }
      close();
      throw new UnknownHostException(remote.toString());
    }
    if (timeout < 0) {
      throw new IllegalArgumentException("connect: timeout can't be negative");
    }
    try {
      channel.blockingConnect(remote, timeout == 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(timeout));
    } catch (Exception problem) {
      throw NetErrors.forAdaptor(problem);
    }
  }

  @Override
  public void bind(@Nullable SocketAddress local) throws IOException {
    try {
      channel.bind(local);
    } catch (Exception problem) {
      throw NetErrors.forAdaptor(problem);
    }
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    InetSocketAddress remote = remote();
    return remote == null ? null : remote.getAddress();
  }

  @Override
  public InetAddress getLocalAddress() {
    InetSocketAddress local = channel.isOpen() ? local() : null;
    return local == null ? new InetSocketAddress(0).getAddress() : local.getAddress();
  }

  @Override
  public int getPort() {
    InetSocketAddress remote = remote();
    return remote == null ? 0 : remote.getPort();
  }

  @Override
  public int getLocalPort() {
    InetSocketAddress local = local();
    return local == null ? -1 : local.getPort();
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return channel.remoteAddress();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return channel.localAddress();
  }

  @Override
  public SocketChannel getChannel() {
    return channel;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    requireConnected();
    if (!channel.isInputOpen()) {
      throw new SocketException("Socket input is shutdown");
    }
    return new Input();
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    requireConnected();
    if (!channel.isOutputOpen()) {
      throw new SocketException("Socket output is shutdown");
    }
    return new Output();
  }

  private void requireConnected() throws SocketException {
    if (!channel.isOpen()) {
      throw new SocketException("Socket is closed");
    }
    if (!channel.isConnected()) {
      throw new SocketException("Socket is not connected");
    }
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) > 0 ? one[0] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return channel.blockingRead(bytes, offset, length, options.timeoutNanos());
    }

    @Override
    public int available() throws IOException {
      return channel.available();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      channel.blockingWriteFully(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  // ---- options --------------------------------------------------------------------------------

  @Override
  public void setTcpNoDelay(boolean on) throws SocketException {
    options.set(StandardSocketOptions.TCP_NODELAY, on);
  }

  @Override
  public boolean getTcpNoDelay() throws SocketException {
    return options.get(StandardSocketOptions.TCP_NODELAY);
  }

  @Override
  public void setSoLinger(boolean on, int seconds) throws SocketException {
    if (on && seconds < 0) {
      throw new IllegalArgumentException("invalid value for SO_LINGER");
    }
    options.set(StandardSocketOptions.SO_LINGER, on ? seconds : -1);
  }

  @Override
  public int getSoLinger() throws SocketException {
    return options.get(StandardSocketOptions.SO_LINGER);
  }

  @Override
  public void sendUrgentData(int data) throws IOException {
    if (channel.sendUrgent((byte) data) == 0) {
      throw new IOException("Socket buffer full");
    }
  }

  @Override
  public void setOOBInline(boolean on) throws SocketException {
    options.set(OptionTable.SO_OOBINLINE, on);
  }

  @Override
  public boolean getOOBInline() throws SocketException {
    return options.get(OptionTable.SO_OOBINLINE);
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
  public void setSendBufferSize(int size) throws SocketException {
    options.setSize(StandardSocketOptions.SO_SNDBUF, size, "Invalid send size");
  }

  @Override
  public int getSendBufferSize() throws SocketException {
    return options.get(StandardSocketOptions.SO_SNDBUF);
  }

  @Override
  public void setReceiveBufferSize(int size) throws SocketException {
    options.setSize(StandardSocketOptions.SO_RCVBUF, size, "Invalid receive size");
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return options.get(StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public void setKeepAlive(boolean on) throws SocketException {
    options.set(StandardSocketOptions.SO_KEEPALIVE, on);
  }

  @Override
  public boolean getKeepAlive() throws SocketException {
    return options.get(StandardSocketOptions.SO_KEEPALIVE);
  }

  @Override
  public void setTrafficClass(int value) throws SocketException {
    options.set(StandardSocketOptions.IP_TOS, value);
  }

  @Override
  public int getTrafficClass() throws SocketException {
    return options.get(StandardSocketOptions.IP_TOS);
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
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public void shutdownInput() throws IOException {
    try {
      channel.shutdownInput();
    } catch (Exception problem) {
      throw NetErrors.forAdaptor(problem);
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    try {
      channel.shutdownOutput();
    } catch (Exception problem) {
      throw NetErrors.forAdaptor(problem);
    }
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
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
  public boolean isInputShutdown() {
    return !channel.isInputOpen();
  }

  @Override
  public boolean isOutputShutdown() {
    return !channel.isOutputOpen();
  }

  @Override
  public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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
    return channel.isConnected()
        ? "Socket[addr="
            + getInetAddress()
            + ",port="
            + getPort()
            + ",localport="
            + getLocalPort()
            + "]"
        : "Socket[unconnected]";
  }
}
