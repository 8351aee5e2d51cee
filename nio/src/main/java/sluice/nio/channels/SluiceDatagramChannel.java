package sluice.nio.channels;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nio.adaptors.AdaptedDatagrams;
import sluice.nio.adaptors.DatagramSocketAdaptor;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.DatagramIo;
import sluice.nio.descriptors.NetErrors;
import sluice.nio.descriptors.ProtocolFamilies;
import sluice.nio.descriptors.SluiceChannel;
import sluice.nio.descriptors.SocketState;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.Sockets;
import sluice.sys.sockets.OptionTable;
import sluice.sys.sockets.SocketErrors;

/// A UDP socket. Any thread may use it. Receives are mutually exclusive, and so are sends.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | addresses | any thread | volatile | under `base` |
public final class SluiceDatagramChannel extends DatagramChannel
    implements SluiceChannel, AdaptedDatagrams {
  /// Closes the descriptors of channels that became unreachable without having been closed. The JDK
  /// does the same for datagram channels.
  private static final Cleaner CLEANER = Cleaner.create();

  private final SocketState base;
  private final ChannelCore core;
  private final DatagramIo io;
  private final MulticastMemberships memberships;
  private volatile @Nullable InetSocketAddress remoteAddress;
  private @Nullable InetSocketAddress boundAddress;
  private @Nullable DatagramSocket socket;

  public SluiceDatagramChannel(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    super(provider);
    StandardProtocolFamily chosen = ProtocolFamilies.choose(family, false);
    int fd = ProtocolFamilies.open(chosen, Sockets.SOCK_DGRAM);
    try {
      // Delivers datagrams only for groups that this socket has joined, as in the JDK.
      Sockets.setsockopt(fd, Sockets.IPPROTO_IP, Sockets.IP_MULTICAST_ALL, 0);
      if (chosen == StandardProtocolFamily.INET6) {
        Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_ALL, 0);
        Sockets.setsockopt(fd, Sockets.IPPROTO_IPV6, Sockets.IPV6_MULTICAST_HOPS, 1);
      }
    } catch (sluice.sys.SysException failure) {
      Files.close(fd);
      throw SocketErrors.of(failure);
    }
    this.base = collected(fd, chosen);
    this.core = base.core();
    this.io = new DatagramIo(fd);
    this.memberships = new MulticastMemberships(this, fd, chosen);
  }

  /// Creates a channel for a socket that another process has opened and bound.
  public SluiceDatagramChannel(SelectorProvider provider, StandardProtocolFamily family, int fd)
      throws IOException {
    super(provider);
    this.base = collected(fd, family);
    this.core = base.core();
    this.io = new DatagramIo(fd);
    this.memberships = new MulticastMemberships(this, fd, family);
    SocketAddress _ = base.lookUpLocal();
  }

  private SocketState collected(int fd, StandardProtocolFamily family) {
    SocketState owned = new SocketState(fd, family);
    CLEANER.register(this, () -> owned.close(true)); // no thread can call the channel any more
    return owned;
  }

  @Override
  public ChannelCore core() {
    return core;
  }

  @Override
  public @Nullable InetSocketAddress localAddress() {
    return (InetSocketAddress) base.local();
  }

  @Override
  public @Nullable InetSocketAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  public DatagramSocket socket() {
    synchronized (base) {
      if (socket == null) {
        socket = DatagramSocketAdaptor.create(this);
      }
      return socket;
    }
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    ensureOpen();
    return base.local();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws IOException {
    ensureOpen();
    return remoteAddress;
  }

  @Override
  public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
    base.set(this, OptionTable.DATAGRAM, name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return base.get(this, OptionTable.DATAGRAM, name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return OptionTable.DATAGRAM.names();
  }

  // ---- binding and connecting -----------------------------------------------------------------

  @Override
  public DatagramChannel bind(@Nullable SocketAddress local) throws IOException {
    core.reads.lock.lock();
    core.writes.lock.lock();
    try {
      synchronized (base) {
        ensureOpen();
        if (base.local() != null) {
          throw new AlreadyBoundException();
        }
        bindHere(local);
      }
      return this;
    } finally {
      core.writes.lock.unlock();
      core.reads.lock.unlock();
    }
  }

  private void bindHere(@Nullable SocketAddress local) throws IOException {
    base.bind(local == null ? base.any() : base.checkInet(local));
    SocketAddress _ = base.lookUpLocal();
  }

  private void ensureBound() throws IOException {
    if (base.local() == null) {
      synchronized (base) {
        ensureOpen();
        if (base.local() == null) {
          bindHere(null);
        }
      }
    }
  }

  @Override
  public boolean isConnected() {
    return remoteAddress != null && isOpen();
  }

  @Override
  public DatagramChannel connect(SocketAddress remote) throws IOException {
    return connect(remote, true);
  }

  @Override
  public DatagramChannel connect(SocketAddress remote, boolean onlyOnce) throws IOException {
    InetSocketAddress to = base.checkInet(remote);
    core.reads.lock.lock();
    core.writes.lock.lock();
    try {
      synchronized (base) {
        ensureOpen();
        if (onlyOnce && remoteAddress != null) {
          throw new AlreadyConnectedException();
        }
        if (to.getPort() == 0) {
          throw new SocketException("Can't connect to port 0");
        }
        ensureBound();
        if (remoteAddress == null) {
          boundAddress = localAddress();
        }
        try (Arena arena = Arena.ofConfined()) {
          SocketErrors.check(
              Sockets.connect(core.fd(), ProtocolFamilies.encode(base.family(), to, arena)));
        }
        remoteAddress = to;
        SocketAddress _ = base.lookUpLocal();
        io.discardAll(); // what came before may be of others
      }
      return this;
    } finally {
      core.writes.lock.unlock();
      core.reads.lock.unlock();
    }
  }

  @Override
  public DatagramChannel disconnect() throws IOException {
    core.reads.lock.lock();
    core.writes.lock.lock();
    try {
      synchronized (base) {
        InetSocketAddress before = boundAddress;
        if (!isOpen() || remoteAddress == null || before == null) {
          return this;
        }
        SocketErrors.check(Sockets.disconnect(core.fd()));
        remoteAddress = null;
        boundAddress = null;
        InetSocketAddress now = (InetSocketAddress) base.lookUpLocal();
        if (now.getPort() == 0) { // Linux gives up a port it has chosen itself
          bindHere(before);
        }
      }
      return this;
    } finally {
      core.writes.lock.unlock();
      core.reads.lock.unlock();
    }
  }

  // ---- moving datagrams -----------------------------------------------------------------------

  private interface Transfer {
    int run();
  }

  @Override
  public @Nullable SocketAddress receive(ByteBuffer buffer) throws IOException {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    core.reads.lock.lock();
    try {
      ensureOpen();
      int n = transfer(true, isBlocking(), -1, false, () -> io.receive(buffer));
      return n >= 0 ? io.sender() : null;
    } finally {
      core.reads.lock.unlock();
    }
  }

  @Override
  public SocketAddress blockingReceive(ByteBuffer buffer, long nanos) throws IOException {
    core.reads.lock.lock();
    try {
      ensureOpen();
      if (!isBlocking()) {
        throw new IllegalBlockingModeException();
      }
      int _ = transfer(true, true, nanos <= 0 ? -1 : nanos, false, () -> io.receive(buffer));
      return io.sender();
    } finally {
      core.reads.lock.unlock();
    }
  }

  @Override
  public int send(ByteBuffer buffer, SocketAddress target) throws IOException {
    Objects.requireNonNull(buffer);
    InetSocketAddress to = base.checkInet(target);
    core.writes.lock.lock();
    try {
      ensureOpen();
      SocketAddress remote = remoteAddress;
      if (remote != null && !target.equals(remote)) {
        throw new AlreadyConnectedException();
      }
      if (to.getPort() == 0) {
        throw new SocketException("Can't send to port 0");
      }
      InetSocketAddress named = remote == null ? to : null;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment address =
            named == null
                ? MemorySegment.NULL
                : ProtocolFamilies.encode(base.family(), named, arena);
        int n = transfer(false, isBlocking(), -1, false, () -> io.send(buffer, address));
        return Math.max(0, n);
      }
    } finally {
      core.writes.lock.unlock();
    }
  }

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    Objects.requireNonNull(buffer);
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException("Read-only buffer");
    }
    return (int) read(new ByteBuffer[] {buffer}, 0, 1);
  }

  @Override
  public long read(ByteBuffer[] buffers, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, buffers.length);
    core.reads.lock.lock();
    try {
      ensureOpen();
      int n = transfer(true, isBlocking(), -1, true, () -> io.scatter(buffers, offset, length));
      return Math.max(0, n);
    } finally {
      core.reads.lock.unlock();
    }
  }

  @Override
  public int write(ByteBuffer buffer) throws IOException {
    Objects.requireNonNull(buffer);
    core.writes.lock.lock();
    try {
      ensureOpen();
      int n = transfer(false, isBlocking(), -1, true, () -> io.send(buffer, MemorySegment.NULL));
      return Math.max(0, n);
    } finally {
      core.writes.lock.unlock();
    }
  }

  @Override
  public long write(ByteBuffer[] buffers, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, buffers.length);
    core.writes.lock.lock();
    try {
      ensureOpen();
      int n = transfer(false, isBlocking(), -1, true, () -> io.gather(buffers, offset, length));
      return Math.max(0, n);
    } finally {
      core.writes.lock.unlock();
    }
  }

  private int transfer(
      boolean in, boolean blocking, long nanos, boolean mustBeConnected, Transfer transfer)
      throws IOException {
    if (!blocking) {
      prepare(mustBeConnected);
      return settle(transfer.run());
    }
    int n = -Errno.EAGAIN;
    begin();
    try {
      core.enterBlocking();
      try {
        prepare(mustBeConnected);
        n = transfer.run();
        long deadline = System.nanoTime() + nanos;
        while (NetErrors.again(n) && isOpen()) {
          long left = nanos < 0 ? -1 : deadline - System.nanoTime();
          if (nanos >= 0 && left <= 0) {
            throw new SocketTimeoutException("Receive timed out");
          }
          if (in) {
            core.reads.await(PollFds.POLLIN, left);
          } else {
            core.writes.await(PollFds.POLLOUT, left);
          }
          n = isOpen() ? transfer.run() : n;
        }
      } finally {
        core.leaveBlocking();
      }
    } finally {
      end(n >= 0);
    }
    return settle(n);
  }

  private void prepare(boolean mustBeConnected) throws IOException {
    if (mustBeConnected && remoteAddress == null) {
      throw new NotYetConnectedException();
    }
    ensureBound();
  }

  private int settle(int n) throws IOException {
    if (n >= 0 || NetErrors.again(n)) {
      return n;
    }
    if (n == -Errno.ECONNREFUSED) {
      throw new PortUnreachableException();
    }
    throw SocketErrors.of(n);
  }

  // ---- groups ---------------------------------------------------------------------------------

  @Override
  public MembershipKey join(InetAddress group, NetworkInterface network) throws IOException {
    return joinHere(group, network, null);
  }

  @Override
  public MembershipKey join(InetAddress group, NetworkInterface network, InetAddress source)
      throws IOException {
    return joinHere(group, network, Objects.requireNonNull(source));
  }

  private MembershipKey joinHere(
      InetAddress group, NetworkInterface network, @Nullable InetAddress source)
      throws IOException {
    memberships.check(group, source);
    synchronized (base) {
      ensureOpen();
      return memberships.join(group, network, source);
    }
  }

  @Override
  public @Nullable MembershipKey membership(InetAddress group, NetworkInterface network) {
    return memberships.find(group, network, null);
  }

  // ---- for selectors --------------------------------------------------------------------------

  @Override
  protected void implConfigureBlocking(boolean block) throws IOException {
    core.reads.lock.lock();
    core.writes.lock.lock();
    try {
      ensureOpen();
    } finally {
      core.writes.lock.unlock();
      core.reads.lock.unlock();
    }
  }

  @Override
  protected void implCloseSelectableChannel() {
    memberships.invalidateAll();
    base.close(isBlocking());
  }

  @Override
  public int eventsFor(int operations) {
    return ((operations & SelectionKey.OP_READ) != 0 ? Epoll.EPOLLIN : 0)
        | ((operations & SelectionKey.OP_WRITE) != 0 ? Epoll.EPOLLOUT : 0);
  }

  @Override
  public int readyFor(int events, int wanted) {
    if ((events & (Epoll.EPOLLERR | Epoll.EPOLLHUP)) != 0) {
      return wanted;
    }
    int ready = (events & Epoll.EPOLLIN) != 0 ? SelectionKey.OP_READ : 0;
    return (ready | ((events & Epoll.EPOLLOUT) != 0 ? SelectionKey.OP_WRITE : 0)) & wanted;
  }

  @Override
  public String toString() {
    return "sluice.nio.SluiceDatagramChannel["
        + (isOpen()
            ? "local=" + base.local() + (remoteAddress == null ? "" : ", remote=" + remoteAddress)
            : "closed")
        + "]";
  }
}
