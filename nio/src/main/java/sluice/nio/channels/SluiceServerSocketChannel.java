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
import java.nio.channels.AsynchronousCloseException;
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
import sluice.nio.descriptors.NetErrors;
import sluice.nio.descriptors.ProtocolFamilies;
import sluice.nio.descriptors.SluiceChannel;
import sluice.nio.descriptors.SocketState;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.Sockets;
import sluice.sys.sockets.JdkDecisions;
import sluice.sys.sockets.OptionTable;
import sluice.sys.sockets.SocketErrors;

/// A listening stream socket. Any thread may use it. Accepts are mutually exclusive.
///
/// While a ring accepts connections for this channel (see [AcceptPort]), they are delivered by that
/// ring.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `port` | the selector that registers | volatile | volatile |
public final class SluiceServerSocketChannel extends ServerSocketChannel
    implements SluiceChannel, AdaptedListener {
  private static final int BACKLOG = 50;

  private final AcceptPorts ports;
  private final SocketState base;
  private final ChannelCore core;
  private final MemorySegment peer = Arena.ofAuto().allocate(Sockets.PEER_BYTES, Long.BYTES);
  private @Nullable ServerSocket socket;
  private volatile @Nullable AcceptPort port;

  public SluiceServerSocketChannel(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    this(provider, family, channel -> null);
  }

  /// Creates a listening channel.
  ///
  /// @param ports the factory for a port that may accept the channel's connections once the channel
  ///   listens
  public SluiceServerSocketChannel(
      SelectorProvider provider, @Nullable ProtocolFamily family, AcceptPorts ports)
      throws IOException {
    super(provider);
    this.ports = ports;
    StandardProtocolFamily chosen = ProtocolFamilies.choose(family, true);
    int fd = ProtocolFamilies.open(chosen, Sockets.SOCK_STREAM);
    if (chosen != StandardProtocolFamily.UNIX) {
      SocketErrors.translate(() -> {
        Sockets.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
        return 0;
      });
    }
    this.base = new SocketState(fd, chosen);
    this.core = base.core();
  }

  /// Creates a channel for a listening socket that another process has opened.
  public SluiceServerSocketChannel(SelectorProvider provider, StandardProtocolFamily family, int fd)
      throws IOException {
    super(provider);
    this.ports = channel -> null;
    this.base = new SocketState(fd, family);
    this.core = base.core();
    SocketErrors.check(Files.setStatusFlags(fd, Files.O_RDWR | Files.O_NONBLOCK));
    SocketAddress _ = base.lookUpLocal();
  }

  @Override
  public ChannelCore core() {
    return core;
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
    return base.local() != null && !isBlocking() && (before == null || before.isOver());
  }

  public @Nullable AcceptPort port() {
    return port;
  }

  public void port(@Nullable AcceptPort value) {
    port = value;
  }

  @Override
  public ServerSocket socket() {
    synchronized (base) {
      if (base.isUnix()) {
        throw new UnsupportedOperationException("Not supported");
      }
      if (socket == null) {
        socket = ServerSocketAdaptor.create(this);
      }
      return socket;
    }
  }

  @Override
  public void behaveAsSocket() {
    core.behaveAsSocket();
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    return base.local();
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    ensureOpen();
    return base.local();
  }

  @Override
  public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
    base.set(this, options(), name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return base.get(this, options(), name);
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return options().names();
  }

  private OptionTable options() {
    if (base.isUnix()) {
      return OptionTable.UNIX_SERVER;
    }
    return core.behavesAsSocket() ? OptionTable.SERVER_SOCKET : OptionTable.SERVER;
  }

  // ---- binding --------------------------------------------------------------------------------

  @Override
  public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
    synchronized (base) {
      ensureOpen();
      if (base.local() != null) {
        throw new AlreadyBoundException();
      }
      if (!base.isUnix()) {
        base.bind(local == null ? base.any() : base.checkInet(local));
      } else if (local == null) {
        bindTemporary();
      } else {
        UnixDomainSocketAddress path = ProtocolFamilies.checkUnix(local);
        if (path.getPath().toString().isEmpty()) {
          throw new BindException("Server socket cannot bind to unnamed address");
        }
        base.bind(path);
      }
      int length = backlog < 1 ? BACKLOG : backlog;
      SocketErrors.translate(() -> {
        Sockets.listen(core.fd(), length);
        return 0;
      });
      SocketAddress _ = base.lookUpLocal();
      if (!base.isUnix()) {
        AcceptPort taken = ports.listening(this);
        port = taken;
        if (taken != null && taken.acceptable()) {
          core.inputCame(); // before there was a port to look at
        }
      }
    }
    return this;
  }

  private void bindTemporary() throws IOException {
    String directory = JdkDecisions.socketDirectory();
    for (int attempt = 0; attempt < 10; attempt++) {
      long number = ThreadLocalRandom.current().nextLong() & Long.MAX_VALUE;
      try {
        base.bind(UnixDomainSocketAddress.of(Path.of(directory, "socket_" + number)));
        return;
      } catch (BindException taken) {
        // Tries again with another name.
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
    boolean interruptible = core.isInterruptible();
    if (interruptible) {
      begin();
    }
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
          core.reads.await(bringsAll() ? 0 : PollFds.POLLIN, left);
          fd = isOpen() ? tryAccept() : fd;
        }
      } finally {
        core.leaveBlocking();
      }
    } finally {
      if (interruptible) {
        end(fd >= 0);
      }
    }
    if (fd < 0 && !isOpen()) {
      throw new AsynchronousCloseException();
    }
    return finish(fd);
  }

  private void requireBound() {
    if (base.local() == null) {
      throw new NotYetBoundException();
    }
  }

  private boolean bringsAll() {
    AcceptPort ring = port;
    return ring != null && ring.bringsAll();
  }

  private int tryAccept() {
    AcceptPort ring = port;
    return ring == null ? acceptHere() : ring.accept();
  }

  /// Accepts a connection from the kernel's queue. Connections that were aborted while queued are
  /// skipped.
  ///
  /// @return the descriptor of the connection, or a negative errno
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
      SocketAddress known = ProtocolFamilies.orUnnamed(remote, base.family());
      SluiceSocketChannel channel =
          ring != null && ring.bringsAll()
              ? new SluiceSocketChannel(provider(), base.family(), fd, known)
              : StreamChannels.connected(provider(), base.family(), fd, known);
      if (core.behavesAsSocket()) {
        channel.core().behaveAsSocket();
      }
      if (ring != null) {
        ring.accepted(channel);
      }
      return channel;
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
    base.close(isBlocking());
  }

  @Override
  public int eventsFor(int operations) {
    return (operations & SelectionKey.OP_ACCEPT) != 0 && !bringsAll() ? Epoll.EPOLLIN : 0;
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
    SocketAddress local = base.local();
    return name + (local == null ? "unbound]" : local + "]");
  }
}
