package sluice.vi.local;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// The UNIX socket beside a connection through shared memory: its end tells that the peer is gone,
/// and one byte on it wakes a sleeping peer. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `fd` | the closer | under the monitor | under the monitor |
/// | `port`, `ended` | the connecting thread, `Watcher` | under the monitor | under the monitor |
final class Link {
  static final byte WAKE = 'w';
  static final byte CLOSED = 'c';
  static final byte FAILED = 'f';

  private static final int PACKETS = 16;

  private static final MemorySegment LETTERS = letters();

  private final Watcher watcher;
  private int fd;
  private @Nullable LocalPort port;
  private @Nullable String ended;

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

  /// From now on the port learns what happens to the peer.
  synchronized void attach(LocalPort newPort) throws SysException {
    port = newPort;
    watcher.add(fd, this::ready);
  }

  /// Reads what has come, by `Watcher`.
  synchronized void ready(MemorySegment scratch) {
    // Bounded: the peer could go on for ever, and other connections wait for this thread.
    for (int i = 0; i < PACKETS && fd >= 0; i++) {
      int count = Sockets.recv(fd, scratch, 0, 1, Sockets.MSG_DONTWAIT);
      if (count == -Errno.EAGAIN || count == -Errno.EINTR) {
        return;
      }
      if (count <= 0) {
        watcher.remove(fd); // it would be reported without end
        ended("the peer's process ended without closing the connection");
        return;
      }
      heard(scratch.get(JAVA_BYTE, 0));
    }
  }

  private void heard(byte letter) {
    switch (letter) {
      case CLOSED -> ended("the peer closed the connection");
      case FAILED -> ended("the peer's end of the connection failed");
      default -> {
        if (port != null) {
          port.unpark();
        }
      }
    }
  }

  private void ended(String why) {
    if (ended == null) {
      ended = why;
      if (port != null) {
        port.peerEnded(why);
      }
    }
  }

  synchronized void wake() {
    say(WAKE);
  }

  private void say(byte letter) {
    if (fd >= 0) {
      // A full socket means that the peer has many wake-ups to read already.
      int _ = Sockets.send(fd, LETTERS, letter, 1, Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL);
    }
  }

  /// Tells the peer how this side ended, and closes. Idempotent.
  synchronized void end(byte how) {
    if (fd >= 0) {
      say(how);
      watcher.remove(fd);
      int _ = Files.close(fd);
      fd = -1;
    }
  }
}
