package sluice.nio.adaptors;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.threads.ModuleOption;

/// The `DatagramSocket` view of a channel. All operations are delegated to the channel. Any thread
/// may use it.
///
/// This class extends `MulticastSocket` because the JDK's view does, and applications cast to that
/// type. If `java.net` is not open to this module (see [JavaNet]), the superclass opens a socket of
/// its own, which is closed immediately and never used.
///
/// @param <C> the channel
public final class DatagramSocketAdaptor<C extends DatagramChannel & AdaptedDatagrams>
    extends MulticastSocket {
  private static final InetSocketAddress NO_ADDRESS = new InetSocketAddress(0);

  /// Set while the current thread opens the unused socket, which may invoke a socket factory of the
  /// application.
  private static final ThreadLocal<Boolean> OPENING = new ThreadLocal<>();

  private final C channel;
  private final PacketBufferLengths rooms = new PacketBufferLengths();

  /// The interface object that means "no interface". Only the JDK can create it.
  private final NetworkInterface noInterface;

  /// The address by which the application selected the network interface.
  private volatile @Nullable InetAddress interfaceAddress;

  private final AdaptorOptions options;

  private DatagramSocketAdaptor(C channel) throws IOException {
    JavaNet inside = JavaNet.inside();
    super(inside == null ? null : inside.noDelegate());
    this.channel = channel;
    this.options = new AdaptorOptions(channel);
    if (inside == null) {
      noInterface = super.getNetworkInterface();
      super.close();
    } else {
      noInterface = inside.anyInterface();
    }
  }

  public static <C extends DatagramChannel & AdaptedDatagrams> DatagramSocket create(C channel) {
    if (OPENING.get() != null) {
      throw new UncheckedIOException(
          new SocketException(
              """
              DatagramChannel.socket() cannot be made inside of DatagramSocketImplFactory
                Why: every DatagramSocket, that of a channel too, asks the factory for a socket, \
              and java.net is closed to sluice.nio, which could have it ask none
                Fix: start java with %s, with -javaagent:sluice-agent.jar, or through 'sluice run'\
              """
                  .formatted(
                      ModuleOption.to(
                          "--add-opens java.base/java.net", DatagramSocketAdaptor.class))));
    }
    OPENING.set(true);
    try {
      return new DatagramSocketAdaptor<>(channel);
    } catch (IOException noDescriptor) {
      throw new UncheckedIOException(noDescriptor);
    } finally {
      OPENING.remove();
    }
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
      throw NetErrors.ofAdaptor(problem);
    }
  }

  @Override
  @SuppressWarnings("NullAway") // applications do pass null
  public void connect(InetAddress address, int port) {
    if (address == null) {
      throw new IllegalArgumentException("Address can't be null");
    }
    try {
      connect(new InetSocketAddress(address, port));
    } catch (SocketException problem) {
      throw new UncheckedIOException(problem);
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
      // Ignores the problem, as DatagramSocket does.
    } catch (Exception problem) {
      throw NetErrors.ofAdaptor(problem);
    }
  }

  @Override
  public void disconnect() {
    try {
      channel.disconnect();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
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
        throw NetErrors.ofAdaptor(closed);
      }
    }
  }

  @Override
  public void receive(DatagramPacket packet) throws IOException {
    synchronized (packet) {
      int room = packet.getData().length - packet.getOffset();
      int wanted = Math.min(room, rooms.of(packet));
      ByteBuffer bytes = ByteBuffer.wrap(packet.getData(), packet.getOffset(), wanted);
      int start = bytes.position();
      try {
        SocketAddress sender = channel.blockingReceive(bytes, options.timeoutNanos());
        rooms.received(packet, bytes.position() - start, wanted);
        packet.setSocketAddress(sender);
      } catch (ClosedByInterruptException interrupted) {
        throw interrupted; // unlike all other ends, as the JDK's adaptor does
      } catch (ClosedChannelException closed) {
        throw NetErrors.ofAdaptor(closed);
      }
    }
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
  public void setReuseAddress(boolean on) throws SocketException {
    options.set(StandardSocketOptions.SO_REUSEADDR, on);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return options.get(StandardSocketOptions.SO_REUSEADDR);
  }

  @Override
  public void setBroadcast(boolean on) throws SocketException {
    options.set(StandardSocketOptions.SO_BROADCAST, on);
  }

  @Override
  public boolean getBroadcast() throws SocketException {
    return options.get(StandardSocketOptions.SO_BROADCAST);
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
  public void close() {
    try {
      channel.close();
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
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

  // ---- groups ---------------------------------------------------------------------------------

  @Override
  public void joinGroup(SocketAddress group, @Nullable NetworkInterface network)
      throws IOException {
    InetAddress address = address(group);
    NetworkInterface at = interfaceFor(network);
    synchronized (this) {
      if (channel.membership(address, at) != null) {
        throw new SocketException("Already a member of the multicast group");
      }
      channel.join(address, at);
    }
  }

  @Override
  public void leaveGroup(SocketAddress group, @Nullable NetworkInterface network)
      throws IOException {
    InetAddress address = address(group);
    MembershipKey key = channel.membership(address, interfaceFor(network));
    if (key == null) {
      throw new SocketException("Not a member of the multicast group");
    }
    key.drop();
  }

  @Override
  @SuppressWarnings("deprecation")
  public void joinGroup(InetAddress group) throws IOException {
    Objects.requireNonNull(group);
    try {
      joinGroup(new InetSocketAddress(group, 0), null);
    } catch (IllegalArgumentException notOfThisFamily) {
      throw new SocketException("Cannot join " + group, notOfThisFamily);
    }
  }

  @Override
  @SuppressWarnings("deprecation")
  public void leaveGroup(InetAddress group) throws IOException {
    Objects.requireNonNull(group);
    leaveGroup(new InetSocketAddress(group, 0), null);
  }

  private static InetAddress address(SocketAddress group) throws SocketException {
    if (!(group instanceof InetSocketAddress inet) || inet.isUnresolved()) {
      throw new IllegalArgumentException("Unsupported or unresolved address: " + group);
    }
    if (!inet.getAddress().isMulticastAddress()) {
      throw new SocketException("Not the address of a group: " + group);
    }
    return inet.getAddress();
  }

  /// Returns the given interface if it is not null. Otherwise returns the interface that is
  /// configured for outgoing datagrams, or the kernel's choice.
  private NetworkInterface interfaceFor(@Nullable NetworkInterface network) throws IOException {
    options.requireOpen();
    return network != null ? network : getNetworkInterface();
  }

  @Override
  public void setTimeToLive(int hops) throws SocketException {
    options.set(StandardSocketOptions.IP_MULTICAST_TTL, hops);
  }

  @Override
  public int getTimeToLive() throws SocketException {
    return options.get(StandardSocketOptions.IP_MULTICAST_TTL);
  }

  @Override
  @SuppressWarnings({"deprecation", "removal"})
  public void setTTL(byte hops) throws SocketException {
    setTimeToLive(Byte.toUnsignedInt(hops));
  }

  @Override
  @SuppressWarnings({"deprecation", "removal"})
  public byte getTTL() throws SocketException {
    return (byte) getTimeToLive();
  }

  @Override
  @SuppressWarnings({"deprecation", "removal"})
  public void send(DatagramPacket packet, byte hops) throws IOException {
    synchronized (this) {
      int before = getTimeToLive();
      setTTL(hops);
      try {
        send(packet);
      } finally {
        setTimeToLive(before);
      }
    }
  }

  @Override
  public void setNetworkInterface(NetworkInterface network) throws SocketException {
    options.set(StandardSocketOptions.IP_MULTICAST_IF, network);
  }

  @Override
  @SuppressWarnings("NullAway") // the option is null when none was chosen
  public NetworkInterface getNetworkInterface() throws SocketException {
    NetworkInterface chosen = options.get(StandardSocketOptions.IP_MULTICAST_IF);
    return chosen == null ? noInterface : chosen;
  }

  @Override
  @SuppressWarnings("deprecation")
  public void setInterface(InetAddress address) throws SocketException {
    NetworkInterface network = address == null ? null : NetworkInterface.getByInetAddress(address);
    if (network == null) {
      throw new SocketException("No network interface has the address " + address);
    }
    setNetworkInterface(network);
    interfaceAddress = address;
  }

  @Override
  @SuppressWarnings("deprecation")
  public InetAddress getInterface() throws SocketException {
    List<InetAddress> addresses = getNetworkInterface().inetAddresses().toList();
    InetAddress asked = interfaceAddress;
    if (asked != null && addresses.contains(asked)) {
      return asked;
    }
    return addresses.isEmpty() ? NO_ADDRESS.getAddress() : addresses.getFirst();
  }

  @Override
  @SuppressWarnings("deprecation")
  public void setLoopbackMode(boolean disable) throws SocketException {
    options.set(StandardSocketOptions.IP_MULTICAST_LOOP, !disable);
  }

  @Override
  @SuppressWarnings("deprecation")
  public boolean getLoopbackMode() throws SocketException {
    return !options.get(StandardSocketOptions.IP_MULTICAST_LOOP);
  }
}
