package sluice.vi.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.PeerCredentials;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.vi.device.Answers;
import sluice.vi.device.ArrivalQueue;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;
import sluice.vi.local.Hello.Verdict;

/// A listener at a name of UNIX sockets. [Watcher]'s thread accepts sockets and reads the first
/// packet; any thread accepts the connection.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `silent`, `closed` | `Watcher`'s thread; the closer, when that has ended | plain | plain |
/// | `pending` | see [ArrivalQueue] | | |
///
/// Limits: at most [#BACKLOG] sockets that have not sent their first packet, of which the oldest is
/// closed when a new one is accepted, and the same number of sockets that are waiting to be
/// accepted.
final class LocalListener implements Listener {
  static final int BACKLOG = ArrivalQueue.BACKLOG;

  /// A peer whose first packet has arrived.
  private record Pending(int fd, int pid, Hello hello) {}

  private final Watcher watcher;
  private final int tag;
  private final int fd;
  private final ArrivalQueue<Pending> pending = new ArrivalQueue<>();
  private final ArrayDeque<Integer> silent = new ArrayDeque<>();
  private boolean closed;

  /// @param fd a listening socket, which is owned by this object from now on
  LocalListener(Watcher watcher, int fd, int tag) throws IOException {
    this.watcher = watcher;
    this.tag = tag;
    this.fd = fd;
    watcher.add(fd, _ -> acceptSockets());
  }

  // ---- Watcher's thread ----------------------------------------------------------------------

  private void acceptSockets() {
    while (!closed) {
      int socket = Sockets.accept4(fd, Sockets.SOCK_NONBLOCK);
      if (socket < 0) {
        return;
      }
      if (silent.size() == BACKLOG) {
        drop(silent.remove());
      }
      silent.add(socket);
      try {
        watcher.add(socket, scratch -> readHello(socket, scratch));
      } catch (IOException e) {
        silent.removeLast();
        int _ = Files.close(socket);
      }
    }
  }

  private void readHello(int socket, MemorySegment scratch) {
    if (!silent.contains(socket)) {
      return;
    }
    int count = Sockets.recv(socket, scratch, 0, Hello.BYTES, Sockets.MSG_DONTWAIT);
    if (count == -Errno.EAGAIN || count == -Errno.EINTR) {
      return;
    }
    silent.remove(socket);
    watcher.remove(socket);
    Pending peer = count == Hello.BYTES ? sound(socket, Hello.read(scratch)) : null;
    if (peer == null || !pending.offer(peer, _ -> false)) {
      int _ = Files.close(socket);
    }
  }

  /// Checks the first packet of a peer.
  ///
  /// @return the pending connection, or null if the peer belongs to another user or violates the
  ///   protocol
  private @Nullable Pending sound(int socket, Hello hello) {
    try {
      PeerCredentials peer = PeerCredentials.of(socket);
      boolean sound = peer.uid() == PeerCredentials.ownUser() && hello.isSound(tag);
      return sound ? new Pending(socket, peer.pid(), hello) : null;
    } catch (SysException e) {
      return null;
    }
  }

  private void drop(int socket) {
    watcher.remove(socket);
    int _ = Files.close(socket);
  }

  private void closeSockets() {
    closed = true;
    drop(fd);
    silent.forEach(this::drop);
    silent.clear();
  }

  // ---- any thread ----------------------------------------------------------------------------

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws DeviceException {
    return pending.accept(timeoutNanos, (peer, made) -> open(peer, spec, made), "the peer");
  }

  private void open(Pending peer, PortSpec wanted, CompletableFuture<@Nullable Port> made) {
    try {
      made.complete(open(peer, wanted));
    } catch (IOException e) {
      made.completeExceptionally(e);
    }
  }

  /// Creates the port for a peer.
  ///
  /// @return the port, or null if the peer has disconnected in the meantime
  private @Nullable Port open(Pending peer, PortSpec wanted) throws IOException {
    Mapping mapping = null;
    try {
      if (peer.hello.flags() != Hello.flags(wanted)) {
        boolean _ = answer(peer.fd, Verdict.OTHER_RELIABILITY, 0);
        throw DeviceException.otherReliability(false);
      }
      try {
        mapping = SharedMemory.open(peer.pid, peer.hello);
      } catch (IOException e) {
        boolean _ = answer(peer.fd, Verdict.BAD_MEMORY, 0);
        throw e;
      }
      int transfer = Math.min(peer.hello.transferBytes(), wanted.transferBytes());
      PortSpec spec = agreed(wanted, transfer, peer.hello.ringBytes());
      Link link = new Link(watcher, peer.fd);
      LocalPort port = new LocalPort(spec, mapping, 1, link);
      if (!answer(peer.fd, Verdict.ACCEPTED, transfer)) {
        mapping.close();
        int _ = Files.close(peer.fd);
        return null;
      }
      link.attach(port);
      return port;
    } catch (IOException e) {
      if (mapping != null) {
        mapping.close();
      }
      int _ = Files.close(peer.fd);
      throw e;
    }
  }

  static PortSpec agreed(PortSpec wanted, int transferBytes, int ringBytes) {
    return new PortSpec(
        wanted.tag(),
        wanted.discards(),
        wanted.acknowledged(),
        wanted.sendDepth(),
        wanted.receiveDepth(),
        transferBytes,
        ringBytes);
  }

  private static boolean answer(int socket, Verdict verdict, int transferBytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment packet = arena.allocate(Hello.ANSWER_BYTES, Integer.BYTES);
      Hello.writeAnswer(packet, verdict, transferBytes);
      int flags = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;
      return Sockets.send(socket, packet, 0, Hello.ANSWER_BYTES, flags) == Hello.ANSWER_BYTES;
    }
  }

  @Override
  public void close() {
    List<Pending> left = pending.close();
    if (left == null) {
      return;
    }
    left.forEach(peer -> Files.close(peer.fd));
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    boolean ordered =
        watcher.order(() -> {
          closeSockets();
          done.complete(true);
        });
    if (!ordered) {
      closeSockets();
      return;
    }
    try {
      boolean _ = Answers.await(done, "the watcher");
    } catch (DeviceException e) {
      // If the thread is interrupted, the name becomes free a little later.
    }
  }
}
