package sluice.nio;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.DatagramSocketImpl;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The `DatagramSocket` view of a channel. Any thread may use it; everything is the channel's.
final class DatagramSocketAdaptor extends DatagramSocket {
  private final SluiceDatagramChannel channel;
  private volatile int timeoutMillis;

  private DatagramSocketAdaptor(SluiceDatagramChannel channel) {
    super(new NoDatagramImpl());
    this.channel = channel;
  }

  static DatagramSocket create(SluiceDatagramChannel channel) {
    return new DatagramSocketAdaptor(channel);
  }

  @Override
  public DatagramChannel getChannel() {
    return channel;
  }

  @Override
  public void bind(@Nullable SocketAddress address) throws SocketException {
    if (address != null && !(address instanceof InetSocketAddress)) {
      throw new IllegalArgumentException("Unsupported address type");
    }
    try {
      channel.bind(address == null ? new InetSocketAddress(0) : address);
    } catch (Exception problem) {
      throw socketException(problem);
    }
  }

  private static SocketException socketException(Exception problem) {
    try {
      return SocketAdaptor.socketException(NetErrors.forAdaptor(problem));
    } catch (IOException known) {
      return SocketAdaptor.socketException(known);
    }
  }

  @Override
  public void connect(InetAddress address, int port) {
    Objects.requireNonNull(address, "Address can't be null");
    try {
      connect(new InetSocketAddress(address, port));
    } catch (SocketException problem) {
      throw new java.io.UncheckedIOException(problem);
    }
  }

  @Override
  @SuppressWarnings("NullAway") // applications do pass null
  public void connect(SocketAddress remote) throws SocketException {
    if (remote == null) {
      throw new IllegalArgumentException("Address can't be null");
    }
    if (!(remote instanceof InetSocketAddress inet)) {
      throw new IllegalArgumentException("Unsupported address type");
    }
    if (inet.isUnresolved()) {
      throw new SocketException("Unresolved address");
    }
    try {
      channel.connect(remote, false);
    } catch (ClosedChannelException closed) {
      // as DatagramSocket: nothing happens
    } catch (Exception problem) {
      throw socketException(problem);
    }
  }

  @Override
  public void disconnect() {
    try {
      channel.disconnect();
    } catch (IOException problem) {
      throw new java.io.UncheckedIOException(problem);
    }
  }

  @Override
  public boolean isBound() {
    return channel.localAddress() != null;
  }

  @Override
  public boolean isConnected() {
    return channel.remoteAddress() != null;
  }

  @Override
  public @Nullable InetAddress getInetAddress() {
    InetSocketAddress remote = channel.remoteAddress();
    return remote == null ? null : remote.getAddress();
  }

  @Override
  public int getPort() {
    InetSocketAddress remote = channel.remoteAddress();
    return remote == null ? -1 : remote.getPort();
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return channel.remoteAddress();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return channel.isOpen() ? channel.localAddress() : null;
  }

  @Override
  public @Nullable InetAddress getLocalAddress() {
    if (isClosed()) {
      return null;
    }
    InetSocketAddress local = channel.localAddress();
    return local == null ? new InetSocketAddress(0).getAddress() : local.getAddress();
  }

  @Override
  public int getLocalPort() {
    if (isClosed()) {
      return -1;
    }
    InetSocketAddress local = channel.localAddress();
    return local == null ? 0 : local.getPort();
  }

  @Override
  public void send(DatagramPacket packet) throws IOException {
    synchronized (packet) {
      InetSocketAddress remote = channel.remoteAddress();
      if (packet.getAddress() == null) {
        if (remote == null) {
          throw new IllegalArgumentException("Address not set");
        }
        packet.setSocketAddress(remote);
      }
      if (!channel.isBlocking()) {
        throw new java.nio.channels.IllegalBlockingModeException();
      }
      ByteBuffer bytes = ByteBuffer.wrap(packet.getData(), packet.getOffset(), packet.getLength());
      try {
        channel.send(bytes, packet.getSocketAddress());
      } catch (AlreadyConnectedException other) {
        throw new IllegalArgumentException("Connected and packet address differ", other);
      } catch (ClosedChannelException closed) {
        throw SocketAdaptor.socketException(closed);
      }
    }
  }

  @Override
  public void receive(DatagramPacket packet) throws IOException {
    synchronized (packet) {
      int room = packet.getData().length - packet.getOffset();
      ByteBuffer bytes =
          ByteBuffer.wrap(packet.getData(), packet.getOffset(), Math.min(room, packet.getLength()));
      int start = bytes.position();
      try {
        SocketAddress sender =
            channel.blockingReceive(bytes, TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
        packet.setLength(bytes.position() - start);
        packet.setSocketAddress(sender);
      } catch (ClosedChannelException closed) {
        throw SocketAdaptor.socketException(closed);
      }
    }
  }

  @Override
  public void setSoTimeout(int timeout) throws SocketException {
    requireOpen();
    if (timeout < 0) {
      throw new IllegalArgumentException("timeout < 0");
    }
    timeoutMillis = timeout;
  }

  @Override
  public int getSoTimeout() throws SocketException {
    requireOpen();
    return timeoutMillis;
  }

  private void requireOpen() throws SocketException {
    if (isClosed()) {
      throw new SocketException("Socket is closed");
    }
  }

  private <T> void set(SocketOption<T> name, T value) throws SocketException {
    try {
      channel.setOption(name, value);
    } catch (IOException problem) {
      throw SocketAdaptor.socketException(problem);
    }
  }

  private <T> T get(SocketOption<T> name) throws SocketException {
    try {
      return channel.getOption(name);
    } catch (IOException problem) {
      throw SocketAdaptor.socketException(problem);
    }
  }

  private static int positive(int size, String problem) {
    if (size <= 0) {
      throw new IllegalArgumentException(problem);
    }
    return size;
  }

  @Override
  public void setSendBufferSize(int size) throws SocketException {
    set(StandardSocketOptions.SO_SNDBUF, positive(size, "Invalid send size"));
  }

  @Override
  public int getSendBufferSize() throws SocketException {
    return get(StandardSocketOptions.SO_SNDBUF);
  }

  @Override
  public void setReceiveBufferSize(int size) throws SocketException {
    set(StandardSocketOptions.SO_RCVBUF, positive(size, "Invalid receive size"));
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return get(StandardSocketOptions.SO_RCVBUF);
  }

  @Override
  public void setReuseAddress(boolean on) throws SocketException {
    set(StandardSocketOptions.SO_REUSEADDR, on);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return get(StandardSocketOptions.SO_REUSEADDR);
  }

  @Override
  public void setBroadcast(boolean on) throws SocketException {
    set(StandardSocketOptions.SO_BROADCAST, on);
  }

  @Override
  public boolean getBroadcast() throws SocketException {
    return get(StandardSocketOptions.SO_BROADCAST);
  }

  @Override
  public void setTrafficClass(int value) throws SocketException {
    set(StandardSocketOptions.IP_TOS, value);
  }

  @Override
  public int getTrafficClass() throws SocketException {
    return get(StandardSocketOptions.IP_TOS);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException problem) {
      throw new java.io.UncheckedIOException(problem);
    }
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public <T> DatagramSocket setOption(SocketOption<T> name, T value) throws IOException {
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
  public void joinGroup(SocketAddress group, @Nullable NetworkInterface network)
      throws IOException {
    channel.join(address(group), interfaceFor(network));
  }

  @Override
  public void leaveGroup(SocketAddress group, @Nullable NetworkInterface network)
      throws IOException {
    MembershipKey key = channel.memberships().find(address(group), interfaceFor(network), null);
    if (key == null) {
      throw new SocketException("Not a member of the multicast group");
    }
    key.drop();
  }

  private static InetAddress address(SocketAddress group) {
    if (!(group instanceof InetSocketAddress inet)) {
      throw new IllegalArgumentException("Unsupported address type");
    }
    return inet.getAddress();
  }

  private NetworkInterface interfaceFor(@Nullable NetworkInterface network) throws IOException {
    if (network != null) {
      return network;
    }
    Object chosen = channel.getOption(StandardSocketOptions.IP_MULTICAST_IF);
    if (chosen instanceof NetworkInterface known) {
      return known;
    }
    return NetworkInterface.networkInterfaces()
        .filter(DatagramSocketAdaptor::multicasts)
        .findFirst()
        .orElseThrow(() -> new SocketException("No network interface with multicast"));
  }

  private static boolean multicasts(NetworkInterface network) {
    try {
      return network.isUp() && network.supportsMulticast();
    } catch (SocketException gone) {
      return false;
    }
  }

  /// Stands where `DatagramSocket` wants an implementation.
  private static final class NoDatagramImpl extends DatagramSocketImpl {
    private static UnsupportedOperationException no() {
      return new UnsupportedOperationException("the channel does this");
    }

    @Override
    protected void create() {}

    @Override
    protected void bind(int port, InetAddress address) {
      throw no();
    }

    @Override
    protected void send(DatagramPacket packet) {
      throw no();
    }

    @Override
    protected int peek(InetAddress address) {
      throw no();
    }

    @Override
    protected int peekData(DatagramPacket packet) {
      throw no();
    }

    @Override
    protected void receive(DatagramPacket packet) {
      throw no();
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    protected void setTTL(byte ttl) {
      throw no();
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    protected byte getTTL() {
      throw no();
    }

    @Override
    protected void setTimeToLive(int ttl) {
      throw no();
    }

    @Override
    protected int getTimeToLive() {
      throw no();
    }

    @Override
    protected void join(InetAddress group) {
      throw no();
    }

    @Override
    protected void leave(InetAddress group) {
      throw no();
    }

    @Override
    protected void joinGroup(SocketAddress group, NetworkInterface network) {
      throw no();
    }

    @Override
    protected void leaveGroup(SocketAddress group, NetworkInterface network) {
      throw no();
    }

    @Override
    protected void close() {}

    @Override
    public void setOption(int option, @Nullable Object value) {
      throw no();
    }

    @Override
    public Object getOption(int option) {
      throw no();
    }
  }
}
