package sluice.nio.channels;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.nio.adaptors.AdaptedStream;
import sluice.nio.adaptors.SocketAdaptor;
import sluice.nio.descriptors.BlockingTransfer;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.NetErrors;
import sluice.nio.descriptors.ProtocolFamilies;
import sluice.nio.descriptors.SocketState;
import sluice.sys.Epoll;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PollFds;
import sluice.sys.Sockets;
import sluice.sys.sockets.OptionTable;
import sluice.sys.sockets.SocketErrors;

/// A stream socket. Any thread may use it. Reads are mutually exclusive, and so are writes, as the
/// interface requires. A blocking operation never blocks in a call on the socket itself, so that it
/// can be terminated by closing the channel or interrupting the thread.
///
/// All transfers use `MSG_DONTWAIT` regardless of the channel's mode. While a ring receives for
/// this channel (see [StreamPort]), bytes are delivered by that ring.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `state`, addresses | any thread | volatile | under `base` |
/// | `inputClosed`, `outputClosed` | any thread | volatile | under `base` |
/// | `port` | the selector that registers | volatile | volatile, see [StreamPort] |
public class SluiceSocketChannel extends SocketChannel
    implements BlockingTransfer.Stream, AdaptedStream {
  private static final int UNCONNECTED = 0;
  private static final int PENDING = 1;
  private static final int CONNECTED = 2;

  private final SocketState base;
  private final ChannelCore core;
  private final StreamTransfers transfers;
  private volatile int state = UNCONNECTED;
  private volatile @Nullable SocketAddress remoteAddress;
  private volatile boolean inputClosed;
  private volatile boolean outputClosed;

  /// True if the descriptor is in non-blocking mode, which connecting requires.
  private boolean nonBlocking;

  /// True if the connection attempt must be retried because the queue of the UNIX listener was
  /// full.
  private boolean connectAgain;

  private @Nullable Socket socket;
  private volatile @Nullable StreamPort port;

  SluiceSocketChannel(SelectorProvider provider, @Nullable ProtocolFamily family)
      throws IOException {
    super(provider);
    StandardProtocolFamily chosen = ProtocolFamilies.choose(family, true);
    this.base = new SocketState(ProtocolFamilies.open(chosen, Sockets.SOCK_STREAM), chosen);
    this.core = base.core();
    this.transfers = new StreamTransfers(this);
    this.nonBlocking = true;
  }

  /// Creates the channel for an accepted connection.
  SluiceSocketChannel(
      SelectorProvider provider, StandardProtocolFamily family, int fd, SocketAddress remote) {
    super(provider);
    this.base = new SocketState(fd, family);
    this.core = base.core();
    this.transfers = new StreamTransfers(this);
    this.remoteAddress = remote;
    this.state = CONNECTED;
  }

  // ---- state ----------------------------------------------------------------------------------

  @Override
  public ChannelCore core() {
    return core;
  }

  @Override
  public void releaseRing() {
    StreamPort ring = port;
    if (ring != null) {
      ring.release();
    }
  }

  @Override
  public boolean isForRing() {
    return isConnected() && !isBlocking() && !bringsAll();
  }

  /// Switches the descriptor to blocking mode, because a ring can only wait for a blocking
  /// descriptor. Called by the holder of both locks.
  ///
  /// @return true if the descriptor is in blocking mode
  public boolean unsetNonBlocking() {
    if (nonBlocking && Files.setStatusFlags(core.fd(), Files.O_RDWR) == 0) {
      nonBlocking = false;
    }
    return !nonBlocking;
  }

  /// Returns true if the port delivers all input, in which case the channel neither reads nor
  /// watches the kernel's receive queue.
  private boolean bringsAll() {
    StreamPort now = port;
    return now != null && now.bringsAll();
  }

  @Override
  public int inputEvents() {
    return bringsAll() ? 0 : PollFds.POLLIN;
  }

  public @Nullable StreamPort port() {
    return port;
  }

  public void port(@Nullable StreamPort value) {
    port = value;
  }

  @Override
  public Object monitorOfStreams() {
    return blockingLock();
  }

  void ensureOpenAndConnected() throws ClosedChannelException {
    ensureOpen();
    if (state != CONNECTED) {
      throw new NotYetConnectedException();
    }
  }

  @Override
  public boolean isInputOpen() {
    return !inputClosed;
  }

  @Override
  public boolean isOutputOpen() {
    return !outputClosed;
  }

  @Override
  public boolean isConnected() {
    return state == CONNECTED && isOpen();
  }

  @Override
  public boolean isConnectionPending() {
    return state == PENDING && isOpen();
  }

  @Override
  public @Nullable SocketAddress localAddress() {
    SocketAddress known = base.local();
    if (known == null && state == CONNECTED) {
      synchronized (base) {
        known = base.local();
        if (known == null && isOpen()) {
          try {
            known = base.lookUpLocal();
          } catch (IOException gone) {
            return null;
          }
        }
      }
    }
    return known;
  }

  @Override
  public @Nullable SocketAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  public @Nullable SocketAddress getLocalAddress() throws IOException {
    ensureOpen();
    return localAddress();
  }

  @Override
  public @Nullable SocketAddress getRemoteAddress() throws IOException {
    ensureOpen();
    return remoteAddress;
  }

  @Override
  public Socket socket() {
    synchronized (base) {
      if (base.isUnix()) {
        throw new UnsupportedOperationException("Not supported");
      }
      if (socket == null) {
        socket = SocketAdaptor.create(this);
      }
      return socket;
    }
  }

  // ---- options --------------------------------------------------------------------------------

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
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
    return base.isUnix() ? OptionTable.UNIX_STREAM : OptionTable.STREAM;
  }

  // ---- moving bytes ---------------------------------------------------------------------------

  /// Returns the object that performs the transfers of this channel.
  public StreamTransfers transfers() {
    return transfers;
  }

  @Override
  public void beginBlocking() {
    if (core.isInterruptible()) {
      begin();
    }
  }

  @Override
  public void endBlocking(boolean completed) throws AsynchronousCloseException {
    if (core.isInterruptible()) {
      end(completed);
    } else if (!completed && !isOpen()) {
      throw new AsynchronousCloseException();
    }
  }

  @Override
  public int read(ByteBuffer buffer) throws IOException {
    return transfers.read(buffer);
  }

  @Override
  public long read(ByteBuffer[] buffers, int offset, int length) throws IOException {
    return transfers.read(buffers, offset, length);
  }

  @Override
  public int write(ByteBuffer buffer) throws IOException {
    return transfers.write(buffer);
  }

  @Override
  public long write(ByteBuffer[] buffers, int offset, int length) throws IOException {
    return transfers.write(buffers, offset, length);
  }

  @Override
  public int blockingRead(byte[] bytes, int offset, int length, long nanos) throws IOException {
    return transfers.blockingRead(bytes, offset, length, nanos);
  }

  @Override
  public void blockingWriteFully(byte[] bytes, int offset, int length) throws IOException {
    transfers.blockingWriteFully(bytes, offset, length);
  }

  @Override
  public int sendUrgent(byte value) throws IOException {
    return transfers.sendUrgent(value);
  }

  @Override
  public int available() throws IOException {
    synchronized (base) {
      ensureOpenAndConnected();
      if (inputClosed) {
        return 0;
      }
      StreamPort ring = port;
      int held = ring == null ? 0 : ring.heldBytes();
      if (bringsAll()) {
        return held;
      }
      return held + Math.max(0, Sockets.available(core.fd()));
    }
  }

  // ---- binding and connecting -----------------------------------------------------------------

  @Override
  public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
    core.reads.lock.lock();
    core.writes.lock.lock();
    try {
      synchronized (base) {
        ensureOpen();
        if (state == PENDING) {
          throw new ConnectionPendingException();
        }
        if (localAddress() != null) {
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
    SocketAddress to;
    if (base.isUnix()) {
      to = local == null ? UnixDomainSocketAddress.of("") : ProtocolFamilies.checkUnix(local);
      if (((UnixDomainSocketAddress) to).getPath().toString().isEmpty()) {
        base.local(to);
        return;
      }
    } else {
      to = local == null ? base.any() : base.checkInet(local);
    }
    base.bind(to);
    SocketAddress _ = base.lookUpLocal();
  }

  @Override
  public boolean connect(SocketAddress remote) throws IOException {
    SocketAddress to = ProtocolFamilies.checkRemote(remote, base.family());
    try {
      core.reads.lock.lock();
      core.writes.lock.lock();
      try {
        ensureOpen();
        return connectLocked(to, isBlocking(), -1);
      } finally {
        core.writes.lock.unlock();
        core.reads.lock.unlock();
      }
    } catch (IOException failure) {
      close();
      throw failure;
    }
  }

  @Override
  public void blockingConnect(SocketAddress remote, long nanos) throws IOException {
    SocketAddress to = ProtocolFamilies.checkRemote(remote, base.family());
    try {
      core.reads.lock.lock();
      core.writes.lock.lock();
      try {
        ensureOpen();
        if (!isBlocking()) {
          throw new IllegalBlockingModeException();
        }
        boolean _ = connectLocked(to, true, nanos);
      } finally {
        core.writes.lock.unlock();
        core.reads.lock.unlock();
      }
    } catch (IOException failure) {
      close();
      throw failure;
    }
  }

  private boolean connectLocked(SocketAddress to, boolean blocking, long nanos) throws IOException {
    if (!blocking) {
      beginConnect(to);
      return connected(startConnect(to));
    }
    boolean done = false;
    begin();
    try {
      core.enterBlocking();
      try {
        beginConnect(to);
        done = startConnect(to) || awaitConnect(nanos);
      } finally {
        core.leaveBlocking();
      }
    } finally {
      end(done);
    }
    return connected(done);
  }

  private void beginConnect(SocketAddress to) throws IOException {
    synchronized (base) {
      ensureOpen();
      if (state == CONNECTED) {
        throw new AlreadyConnectedException();
      }
      if (state == PENDING) {
        throw new ConnectionPendingException();
      }
      state = PENDING;
      remoteAddress = to;
    }
  }

  private boolean startConnect(SocketAddress to) throws IOException {
    int result;
    try (Arena arena = Arena.ofConfined()) {
      result = Sockets.connect(core.fd(), ProtocolFamilies.encode(base.family(), to, arena));
    }
    connectAgain = result == -Errno.EAGAIN;
    if (result < 0 && result != -Errno.EINPROGRESS && !NetErrors.again(result)) {
      throw NetErrors.ofConnect(result, to);
    }
    return result == 0;
  }

  private boolean awaitConnect(long nanos) throws IOException {
    long deadline = System.nanoTime() + nanos;
    while (isOpen()) {
      if (pollConnect()) {
        return true;
      }
      long left = nanos < 0 ? -1 : deadline - System.nanoTime();
      if (nanos >= 0 && left <= 0) {
        throw new SocketTimeoutException("Connect timed out");
      }
      if (connectAgain) { // nothing tells when the queue has room
        core.reads.await(0, 1_000_000);
      } else {
        core.reads.await(PollFds.POLLOUT, left);
      }
    }
    return false;
  }

  /// Returns true if the connection has been established.
  private boolean pollConnect() throws IOException {
    if (connectAgain) {
      return startConnect(Objects.requireNonNull(remoteAddress));
    }
    PollFds fds = new PollFds(1);
    fds.set(0, core.fd(), PollFds.POLLOUT);
    if (fds.poll(1, 0) <= 0) {
      return false;
    }
    int error =
        SocketErrors.translate(
            () -> Sockets.getsockopt(core.fd(), Sockets.SOL_SOCKET, Sockets.SO_ERROR));
    if (error != 0) {
      throw NetErrors.ofConnect(error, Objects.requireNonNull(remoteAddress));
    }
    return true;
  }

  private boolean connected(boolean done) throws IOException {
    if (done) {
      synchronized (base) {
        if (state == PENDING && isOpen()) {
          SocketAddress _ = base.lookUpLocal();
          state = CONNECTED;
        }
      }
    }
    return done;
  }

  @Override
  public boolean finishConnect() throws IOException {
    try {
      core.reads.lock.lock();
      core.writes.lock.lock();
      try {
        if (isConnected()) {
          return true;
        }
        ensureOpen();
        if (state != PENDING) {
          throw new NoConnectionPendingException();
        }
        return isBlocking() ? finishBlocking() : connected(pollConnect());
      } finally {
        core.writes.lock.unlock();
        core.reads.lock.unlock();
      }
    } catch (IOException failure) {
      close();
      throw failure;
    }
  }

  private boolean finishBlocking() throws IOException {
    boolean done = false;
    begin();
    try {
      core.enterBlocking();
      try {
        done = awaitConnect(-1);
      } finally {
        core.leaveBlocking();
      }
    } finally {
      end(done);
    }
    return connected(done);
  }

  // ---- closing --------------------------------------------------------------------------------

  @Override
  public SocketChannel shutdownInput() throws IOException {
    synchronized (base) {
      ensureOpen();
      if (!isConnected()) {
        throw new NotYetConnectedException();
      }
      if (!inputClosed) {
        inputClosed = true; // first: a reader that the kernel wakes finds it
        int _ = Sockets.shutdown(core.fd(), Sockets.SHUT_RD);
        core.reads.end();
      }
    }
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() throws IOException {
    StreamPort ring;
    synchronized (base) {
      ensureOpen();
      if (!isConnected()) {
        throw new NotYetConnectedException();
      }
      if (outputClosed) {
        return this;
      }
      outputClosed = true; // first: a writer that the kernel tells of it finds it
      ring = port;
      if (ring == null) {
        int _ = Sockets.shutdown(core.fd(), Sockets.SHUT_WR);
      }
      core.writes.end();
    }
    if (ring != null) {
      shutdownOutput(ring);
    }
    return this;
  }

  /// Shuts down the output after all written bytes have been sent. If a writer is waiting for
  /// space, it is woken and releases the lock.
  private void shutdownOutput(StreamPort ring) throws ClosedChannelException {
    core.enterBlocking(); // the descriptor is not closed meanwhile
    try {
      core.writes.lock.lock();
      try {
        if (ring.flushBeforeShutdown()) {
          int _ = Sockets.shutdown(core.fd(), Sockets.SHUT_WR);
        }
      } finally {
        core.writes.lock.unlock();
      }
    } finally {
      core.leaveBlocking();
    }
  }

  @Override
  protected void implConfigureBlocking(boolean block) throws IOException {
    core.lockBoth(blockingLock());
    try {
      ensureOpen();
      StreamPort ring = port;
      if (block && ring != null) {
        ring.release();
      }
    } finally {
      core.writes.lock.unlock();
      core.reads.lock.unlock();
    }
  }

  @Override
  protected void implCloseSelectableChannel() {
    boolean connected = state == CONNECTED && core.registrations.get() > 0 && !isBlocking();
    if (!connected || !StreamEnd.endsOutput(core, port) || !core.closeLater(base)) {
      closeNow();
    }
  }

  @Override
  public void deregistered() {
    if (core.endsKeeping()) {
      closeNow();
    }
  }

  private void closeNow() {
    StreamPort ring = port;
    if (ring != null) {
      ring.beforeClose();
    } else if (core.behavesAsSocket()) {
      StreamEnd.endsSocket(core);
    }
    base.close(isBlocking());
    if (ring != null) {
      ring.closed();
    }
  }

  // ---- for selectors --------------------------------------------------------------------------

  @Override
  public int eventsFor(int operations) {
    int events = (operations & SelectionKey.OP_READ) != 0 && !bringsAll() ? Epoll.EPOLLIN : 0;
    int out = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;
    return events | ((operations & out) != 0 ? Epoll.EPOLLOUT : 0);
  }

  @Override
  public int readyFor(int events, int wanted) {
    if ((events & (Epoll.EPOLLERR | Epoll.EPOLLHUP)) != 0) {
      return wanted;
    }
    int ready = 0;
    int now = state;
    if ((events & Epoll.EPOLLIN) != 0 && now == CONNECTED) {
      ready |= SelectionKey.OP_READ;
    }
    if ((events & Epoll.EPOLLOUT) != 0) {
      ready |= now == CONNECTED ? SelectionKey.OP_WRITE : 0;
      ready |= now == PENDING ? SelectionKey.OP_CONNECT : 0;
    }
    return ready & wanted;
  }

  @Override
  public int readyHere() {
    StreamPort ring = port;
    return ring == null ? 0 : ring.readyHere();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("java.nio.channels.SocketChannel[");
    if (!isOpen()) {
      return text.append("closed]").toString();
    }
    text.append(
        switch (state) {
          case UNCONNECTED -> "unconnected";
          case PENDING -> "connection-pending";
          default -> "connected" + (inputClosed ? " ishut" : "") + (outputClosed ? " oshut" : "");
        });
    SocketAddress local = localAddress();
    text.append(local == null ? "" : " local=" + local);
    SocketAddress remote = remoteAddress;
    return text.append(remote == null ? "" : " remote=" + remote).append(']').toString();
  }
}
