package sluice.nio.ring;

import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.nio.channels.AcceptPort;
import sluice.nio.channels.SluiceServerSocketChannel;
import sluice.nio.descriptors.ChannelCore;
import sluice.nio.descriptors.NetErrors;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// A port for a listening channel on a ring, which accepts connections in advance. Accepting
/// threads hold the channel's accept lock. Completions are handled on the ring's thread.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `accepted`, `error` | accepting threads, ring's thread | under this object's lock | the same |
///
/// Limits: no more connections are accepted while [#LIMIT] of them are pending or the key has no
/// interest in them. Further connections remain in the kernel's queue.
final class RingListener extends RingPort implements AcceptPort {
  static final int LIMIT = 256;

  private final SluiceServerSocketChannel channel;
  private final ArrayDeque<Integer> accepted = new ArrayDeque<>();
  private int error;

  private RingListener(SelectorRing ring, NioKey key, int slot, SluiceServerSocketChannel channel) {
    super(ring, key, slot, ring.generation(slot));
    this.channel = channel;
  }

  /// Moves a listening channel to a ring. Called by the ring's owner. This method acquires the
  /// channel's lock, because a thread that is about to accept must not find a blocking descriptor.
  ///
  /// @param channel the channel of the key
  /// @return the port, or null if another thread is currently accepting or the channel is not
  ///   suitable for a ring
  static @Nullable RingListener join(
      SelectorRing ring, NioKey key, SluiceServerSocketChannel channel) {
    ChannelCore core = channel.core();
    if (!core.reads.lock.tryLock()) {
      return null;
    }
    try {
      if (!channel.isOpen() || !channel.isForRing()) {
        return null;
      }
      RingListener listener = new RingListener(ring, key, ring.takeSlot(), channel);
      int _ = Files.setStatusFlags(core.fd(), Files.O_RDWR);
      ring.put(listener);
      channel.port(listener);
      return listener;
    } finally {
      core.reads.lock.unlock();
    }
  }

  @Override
  boolean needsUpdate(int interest) {
    return (interest & SelectionKey.OP_ACCEPT) != 0 && (!armed || acceptable());
  }

  private boolean isWanted() {
    return key.isValid() && (key.interest() & SelectionKey.OP_ACCEPT) != 0;
  }

  @Override
  void arm() {
    if (isWanted() && !armed && isShort()) {
      armed = true;
      cancelling = false;
      ring.submission().acceptMultishot(channel.core().fd(), token(RingOperation.ACCEPT));
    }
  }

  private synchronized boolean isShort() {
    return accepted.size() < LIMIT && error == 0;
  }

  @Override
  void complete(int operation, int result, int flags, long part) {
    if (!sluice.loop.engine.Completion.hasMore(flags)) {
      armed = false;
      cancelling = false;
    }
    int waiting;
    synchronized (this) {
      if (result >= 0) {
        accepted.add(result);
      } else if (result != -Errno.ECANCELED
          && result != -Errno.ECONNABORTED
          && !NetErrors.again(result)) {
        error = -result;
      }
      waiting = accepted.size();
    }
    if (armed && (!isWanted() || waiting >= LIMIT)) {
      ring.stop(this);
    } else if (!armed) {
      ring.touch(this);
    }
    if (!attached) {
      channel.core().reads.wake();
    }
  }

  @Override
  public int accept() {
    int fd = poll();
    if (fd != -Errno.EAGAIN) {
      return fd;
    }
    if (attached && ring.isOwner()) {
      ring.turnNow();
      return poll();
    }
    if (attached) {
      boolean _ = ring.detach(this);
    }
    fd = poll();
    return fd == -Errno.EAGAIN ? channel.acceptHere() : fd;
  }

  private int poll() {
    boolean drained;
    int fd;
    synchronized (this) {
      Integer next = accepted.poll();
      if (next == null && error != 0) {
        fd = -error;
        error = 0;
      } else {
        fd = next == null ? -Errno.EAGAIN : next;
      }
      drained = accepted.isEmpty();
    }
    if (drained && attached && !armed && fd != -Errno.EAGAIN) {
      ring.request(this);
    }
    return fd;
  }

  @Override
  public @Nullable SocketAddress remote(int fd) {
    try {
      return Sockets.getpeername(fd);
    } catch (SysException gone) {
      return null;
    }
  }

  @Override
  public synchronized boolean acceptable() {
    return !accepted.isEmpty() || error != 0;
  }

  /// Returns true if this port is no longer in use. The kernel wakes only one of the waiting
  /// accepts. Therefore none of them may belong to an operation that is being cancelled by a thread
  /// that does not run the ring, or to an abandoned ring that was closed some time ago.
  @Override
  public boolean isOver() {
    return !attached && !armed && !ring.isAbandoned() && !acceptable();
  }

  @Override
  int readyOps() {
    return acceptable() ? SelectionKey.OP_ACCEPT : 0;
  }

  @Override
  void detached() {
    int _ = Files.setStatusFlags(channel.core().fd(), Files.O_RDWR | Files.O_NONBLOCK);
    key.moved();
  }

  @Override
  public void release() {
    boolean _ = ring.detach(this);
  }

  @Override
  public void beforeClose() {
    boolean alone = ring.detach(this);
    if (!alone) { // the ring keeps the file until its thread turns again
      int _ = Sockets.shutdown(channel.core().fd(), Sockets.SHUT_RDWR);
    }
    synchronized (this) {
      for (Integer fd : accepted) {
        RingStream.reset(fd); // as the kernel does with its queue
        Files.close(fd);
      }
      accepted.clear();
    }
  }
}
