package sluice.vi.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.PeerCredentials;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.vi.device.Listener;
import sluice.vi.device.Port;
import sluice.vi.device.PortSpec;
import sluice.vi.local.Hello.Verdict;

/// Takes connections at a name of UNIX sockets. [Watcher]'s thread accepts sockets and reads the
/// first packet; any thread accepts the connection.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `fd`, `silent` | `Watcher`'s thread, the closer | under the monitor | under the monitor |
/// | `pending` | `Watcher`'s thread adds, any thread takes | its own lock | its own lock |
///
/// Limits: [#BACKLOG] sockets that have said nothing (the oldest is closed for a new one), and as
/// many that wait to be accepted.
final class LocalListener implements Listener {
  static final int BACKLOG = 64;

  /// A peer that has said what it wants.
  private record Pending(int fd, int pid, Hello hello) {}

  private final Watcher watcher;
  private final int tag;
  private final LinkedBlockingQueue<Pending> pending = new LinkedBlockingQueue<>(BACKLOG);
  private final ArrayDeque<Integer> silent = new ArrayDeque<>();
  private int fd;

  /// @param fd a listening socket, from now on this object's
  LocalListener(Watcher watcher, int fd, int tag) throws SysException {
    this.watcher = watcher;
    this.tag = tag;
    this.fd = fd;
    watcher.add(fd, _ -> acceptSockets());
  }

  private synchronized void acceptSockets() {
    while (fd >= 0) {
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
      } catch (SysException e) {
        silent.removeLast();
        int _ = Files.close(socket);
      }
    }
  }

  private synchronized void readHello(int socket, MemorySegment scratch) {
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
    if (peer == null || !pending.offer(peer)) {
      int _ = Files.close(socket);
    }
  }

  /// @return null when the peer is not of the same user, or breaks the protocol
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

  @Override
  public @Nullable Port accept(PortSpec spec, long timeoutNanos) throws IOException {
    long end = System.nanoTime() + timeoutNanos;
    while (true) {
      Pending peer;
      try {
        peer =
            timeoutNanos < 0
                ? pending.take()
                : pending.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while a connection was waited for", e);
      }
      if (peer == null) {
        return null;
      }
      if (peer.fd < 0) {
        pending.add(peer); // for the next accept that waits
        throw new IOException("the listener is closed");
      }
      Port port = open(peer, spec);
      if (port != null) {
        return port;
      }
    }
  }

  /// @return null when the peer has gone meanwhile
  private @Nullable Port open(Pending peer, PortSpec wanted) throws IOException {
    Mapping mapping = null;
    try {
      if (peer.hello.flags() != Hello.flags(wanted)) {
        boolean _ = answer(peer.fd, Verdict.OTHER_RELIABILITY, 0);
        throw new IOException(
            "the peer wants another reliability than this accept. Fix: the same on both sides");
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
  public synchronized void close() {
    if (fd < 0) {
      return;
    }
    drop(fd);
    fd = -1;
    silent.forEach(this::drop);
    silent.clear();
    List<Pending> waiting = new ArrayList<>();
    pending.drainTo(waiting);
    waiting.forEach(peer -> Files.close(peer.fd));
    pending.add(new Pending(-1, 0, new Hello(0, 0, 0, 0, 0)));
  }
}
