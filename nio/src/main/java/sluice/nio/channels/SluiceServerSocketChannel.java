package sluice.nio.channels;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import sluice.nio.adaptors.AdaptedListener;
import sluice.nio.adaptors.ServerSocketAdaptor;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.ChannelOptions;
import sluice.nio.descriptors.Families;
import sluice.nio.descriptors.NetErrors;
import sluice.nio.descriptors.SluiceChannel;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.Sockets;

/// A listening stream socket. Any thread may use it; accepting threads take turns.
///
/// While a ring accepts for this channel (see [AcceptPort]) connections come from there.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `localAddress` | any thread | volatile | under `stateLock` |
/// | `port` | the selector that registers | volatile | volatile |
public final class SluiceServerSocketChannel extends ServerSocketChannel
    implements SluiceChannel, AdaptedListener {
  private static final int BACKLOG = 50;

  private final StandardProtocolFamily family;
  private final ChannelCore core;
  private final Object stateLock = new Object();
  private final MemorySegment peer = Arena.ofAuto().allocate(Sockets.PEER_BYTES, Long.BYTES);
  private volatile @Nullable SocketAddress localAddress;
  private @Nullable ServerSocket socket;
  private volatile @Nullable AcceptPort port;

  public SluiceServerSocketChannel(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    super(provider);
    this.family = Families.choose(family, true);
    int fd = Families.open(this.family, Sockets.SOCK_STREAM);
    if (this.family != StandardProtocolFamily.UNIX) {
      NetErrors.translate(() -> {
        Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
        return 0;
      });
    }
    this.core = new ChannelCore(fd);
  }

  /// A listener that another process has opened.
  public SluiceServerSocketChannel(SelectorProvider provider, StandardProtocolFamily family, int fd)
      throws IOException {
    super(provider);
    this.family = family;
    this.core = new ChannelCore(fd);
    NetErrors.check(Files.setStatusFlags(fd, Files.O_RDWR | Files.O_NONBLOCK));
    this.localAddress = Families.local(fd, family);
  }

  @Override
  public ChannelCore core() {
    return core;
  }

  StandardProtocolFamily family() {
    return family;
  }

  @Override
  public void releaseRing() {
    AcceptPort ring = port;
    if (ring != null) {
      ring.release();
    }
  }

  @Override
  public boolean isForRing() {
    AcceptPort before = port;
    return localAddress != null && !isBlocking() && (before == null || before.isOver());
  }

  public @Nullable AcceptPort port() {
    return port;
  }

  public void port(@Nullable AcceptPort value) {
    port = value;
  }

  @Override
  public ServerSocket socket() {
    synchronized (stateLock) {
      if (family == StandardProtocolFamily.UNIX) {
        throw new UnsupportedOperationException("Not supported");
      }
      if (socket == null) {
        socket = ServerSocketAdaptor.create(this);
      }
      return socket;
    }
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return localAddress;
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    ensureOpen();
    return localAddress;
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    ChannelOptions.set(this, stateLock, family, name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return ChannelOptions.get(this, stateLock, family, name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return family == StandardProtocolFamily.UNIX
        ? ChannelOptions.UNIX_SERVER
        : ChannelOptions.SERVER;
  }

  // ---- binding --------------------------------------------------------------------------------

  @Override
  public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
    synchronized (stateLock) {
      ensureOpen();
      if (localAddress != null) {
        throw new AlreadyBoundException();
      }
      if (family != StandardProtocolFamily.UNIX) {
        bindTo(local == null ? Families.any(family, 0) : Families.checkInet(local, family));
      } else if (local == null) {
        bindTemporary();
      } else {
        UnixDomainSocketAddress path = Families.checkUnix(local);
        if (path.getPath().toString().isEmpty()) {
          throw new BindException("Server socket cannot bind to unnamed address");
        }
        bindTo(path);
      }
      int length = backlog < 1 ? BACKLOG : backlog;
      NetErrors.translate(() -> {
        Sockets.listen(core.fd(), length);
        return 0;
      });
      localAddress = Families.local(core.fd(), family);
    }
    return this;
  }

  private void bindTo(SocketAddress to) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NetErrors.check(Sockets.bind(core.fd(), Families.encode(family, to, arena)));
    }
  }

  private void bindTemporary() throws IOException {
    String directory =
        System.getProperty(
            "jdk.net.unixdomain.tmpdir", System.getProperty("java.io.tmpdir", "/tmp"));
    for (int attempt = 0; attempt < 10; attempt++) {
      long number = ThreadLocalRandom.current().nextLong() & Long.MAX_VALUE;
      try {
        bindTo(UnixDomainSocketAddress.of(Path.of(directory, "socket_" + number)));
        return;
      } catch (BindException taken) {
        // another name
      }
    }
    throw new BindException("Could not bind to temporary name");
  }

  // ---- accepting ------------------------------------------------------------------------------

  @Override
  public @Nullable SocketChannel accept() throws IOException {
    core.reads.lock.lock();
    try {
      ensureOpen();
      return acceptLocked(isBlocking(), -1);
    } finally {
      core.reads.lock.unlock();
    }
  }

  @Override
  public SocketChannel blockingAccept(long nanos) throws IOException {
    core.reads.lock.lock();
    try {
      ensureOpen();
      if (!isBlocking()) {
        throw new IllegalBlockingModeException();
      }
      return java.util.Objects.requireNonNull(acceptLocked(true, nanos));
    } finally {
      core.reads.lock.unlock();
    }
  }

  private @Nullable SocketChannel acceptLocked(boolean blocking, long nanos) throws IOException {
    if (!blocking) {
      requireBound();
      return finish(tryAccept());
    }
    int fd = -Errno.EAGAIN;
    begin();
    try {
      core.enterBlocking();
      try {
        requireBound();
        fd = tryAccept();
        long deadline = System.nanoTime() + nanos;
        while (NetErrors.again(fd) && isOpen()) {
          long left = nanos < 0 ? -1 : deadline - System.nanoTime();
          if (nanos >= 0 && left <= 0) {
            throw new SocketTimeoutException("Accept timed out");
          }
          core.reads.await(PollFds.POLLIN, left);
          fd = isOpen() ? tryAccept() : fd;
        }
      } finally {
        core.leaveBlocking();
      }
    } finally {
      end(fd >= 0);
    }
    return finish(fd);
  }

  private void requireBound() {
    if (localAddress == null) {
      throw new NotYetBoundException();
    }
  }

  private int tryAccept() {
    AcceptPort ring = port;
    return ring == null ? acceptHere() : ring.accept();
  }

  /// Accepts from the kernel's queue.
  ///
  /// @return a descriptor or a negative errno; connections that died in the queue are passed over
  public int acceptHere() {
    int fd;
    do {
      fd = Sockets.accept4(core.fd(), 0, peer);
    } while (fd == -Errno.ECONNABORTED);
    return fd;
  }

  private @Nullable SocketChannel finish(int fd) throws IOException {
    if (fd < 0) {
      if (NetErrors.again(fd)) {
        return null;
      }
      throw NetErrors.ofTransfer(fd);
    }
    try {
      AcceptPort ring = port;
      SocketAddress remote = ring == null ? Sockets.peer(peer) : ring.remote(fd);
      SocketAddress known = Families.orUnnamed(remote, family);
      return StreamChannels.connected(provider(), family, fd, known);
    } catch (RuntimeException | Error problem) {
      Files.close(fd);
      throw problem;
    }
  }

  // ---- for selectors --------------------------------------------------------------------------

  @Override
  protected void implConfigureBlocking(boolean block) throws IOException {
    core.reads.lock.lock();
    try {
      ensureOpen();
      AcceptPort ring = port;
      if (block && ring != null) {
        ring.release();
      }
    } finally {
      core.reads.lock.unlock();
    }
  }

  @Override
  protected void implCloseSelectableChannel() {
    AcceptPort ring = port;
    if (ring != null) {
      ring.beforeClose();
    }
    core.close(isBlocking(), stateLock);
  }

  @Override
  public int eventsFor(int operations) {
    return (operations & SelectionKey.OP_ACCEPT) != 0 ? Epoll.EPOLLIN : 0;
  }

  @Override
  public int readyFor(int events, int wanted) {
    if ((events & (Epoll.EPOLLERR | Epoll.EPOLLHUP)) != 0) {
      return wanted;
    }
    return (events & Epoll.EPOLLIN) != 0 ? wanted & SelectionKey.OP_ACCEPT : 0;
  }

  @Override
  public int readyHere() {
    AcceptPort ring = port;
    return ring != null && ring.acceptable() ? SelectionKey.OP_ACCEPT : 0;
  }

  @Override
  public String toString() {
    String name = "sluice.nio.SluiceServerSocketChannel[";
    if (!isOpen()) {
      return name + "closed]";
    }
    SocketAddress local = localAddress;
    return name + (local == null ? "unbound]" : local + "]");
  }
}
