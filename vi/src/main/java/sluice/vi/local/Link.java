package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.vi.device.Failure;

/// The UNIX socket that accompanies a connection through shared memory. The end of its stream
/// indicates that the peer has terminated, and a single byte wakes a sleeping peer. Any thread may
/// call without waiting for another. After the end of the connection, the last thread that uses the
/// socket closes it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `users` | any thread: those that use the socket now, and [#ENDED] | volatile | compare-and-set |
/// | `port` | the connecting thread, before the socket is watched | plain | plain |
/// | `ended` | `Watcher`'s thread | plain | plain |
final class Link {
  static final byte WAKE = 'w';
  static final byte CLOSED = 'c';
  static final byte FAILED = 'f';

  private static final int PACKETS = 16;
  private static final int ENDED = 1 << 30;

  private static final MemorySegment LETTERS = letters();

  private final Watcher watcher;
  private final int fd;
  private final AtomicInteger users = new AtomicInteger();
  private @Nullable LocalPort port;
  private boolean ended;

  Link(Watcher watcher, int fd) {
    this.watcher = watcher;
    this.fd = fd;
  }

  private static MemorySegment letters() {
    MemorySegment all = Arena.global().allocate(128);
    for (int i = 0; i < 128; i++) {
      all.set(JAVA_BYTE, i, (byte) i);
    }
    return all.asReadOnly();
  }

  /// Attaches the port, which is notified of events of the peer from now on.
  void attach(LocalPort newPort) throws IOException {
    port = newPort;
    watcher.add(fd, this::ready);
  }

  /// Registers a use of the socket.
  ///
  /// @return false if the socket is closed or about to be closed; otherwise [#leave] must be called
  private boolean enter() {
    int now = users.get();
    while ((now & ENDED) == 0) {
      if (users.compareAndSet(now, now + 1)) {
        return true;
      }
      now = users.get();
    }
    return false;
  }

  private void leave() {
    if (users.decrementAndGet() == ENDED) {
      int _ = Files.close(fd);
    }
  }

  /// Reads received packets. Called on the watcher's thread.
  void ready(MemorySegment scratch) {
    if (enter()) {
      try {
        read(scratch);
      } finally {
        leave();
      }
    }
  }

  private void read(MemorySegment scratch) {
    // The loop is bounded because the peer could send forever while other connections wait for this
    // thread.
    for (int i = 0; i < PACKETS; i++) {
      int count = Sockets.recv(fd, scratch, 0, 1, Sockets.MSG_DONTWAIT);
      if (count == -Errno.EAGAIN || count == -Errno.EINTR) {
        return;
      }
      if (count <= 0) {
        watcher.remove(fd); // it would be reported without end
        ended(Failure.PEER_ENDED);
        return;
      }
      heard(scratch.get(JAVA_BYTE, 0));
    }
  }

  private void heard(byte letter) {
    switch (letter) {
      case CLOSED -> ended(Failure.PEER_CLOSED);
      case FAILED -> ended(Failure.PEER_FAILED);
      default -> {
        if (port != null) {
          port.unpark();
        }
      }
    }
  }

  private void ended(Failure why) {
    if (!ended) {
      ended = true;
      if (port != null) {
        port.peerEnded(why);
      }
    }
  }

  void wake() {
    if (enter()) {
      say(WAKE);
      leave();
    }
  }

  private void say(byte letter) {
    // If the socket is full, the peer already has many wake-ups to read.
    int _ = Sockets.send(fd, LETTERS, letter, 1, Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL);
  }

  /// Notifies the peer of the reason why this side has ended, and closes the socket. Idempotent.
  void end(byte how) {
    if (enter()) {
      say(how);
      if ((users.getAndUpdate(now -> now | ENDED) & ENDED) == 0) {
        watcher.remove(fd);
      }
      leave();
    }
  }
}
