package sluice.vi.ofi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.sys.AbstractUnixAddress;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.PeerCredentials;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;

/// The UNIX socket that accompanies a connection. It transmits the greetings and the reason why the
/// peer has ended, and the end of its stream indicates that the peer's process has terminated. Only
/// one thread at a time may use it, and no method blocks in the kernel.
///
/// The socket's name is in the abstract namespace, `sluice-vi-ofi/USER/PROVIDER/PLACE/TAG`, so that
/// no file is left behind when a process is killed.
final class ControlSocket implements AutoCloseable {
  /// The reason why the peer has ended.
  ///
  /// @param why the failure for messages
  /// @param sent the number of messages that the peer had sent, or -1 if it is unknown
  record End(Failure why, long sent) {}

  private static final byte CLOSED = 'c';
  private static final byte FAILED = 'f';
  private static final int MAX_PLACE_BYTES = 60;
  private static final int FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;
  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final MemorySegment packet = Arena.ofAuto().allocate(Greeting.BYTES, Long.BYTES);
  private boolean sameProcess;
  private int fd;

  /// @param fd the socket, which is owned by this object from now on
  ControlSocket(int fd) {
    this.fd = fd;
  }

  static AbstractUnixAddress name(String provider, String place, int tag) throws IOException {
    int length = place.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > MAX_PLACE_BYTES) {
      throw new DeviceException(
          Fault.MISCONFIGURED,
          "the address of a VI here is a name of 1 to " + MAX_PLACE_BYTES + " bytes: " + place);
    }
    int user = PeerCredentials.ownUser();
    return new AbstractUnixAddress(
        "sluice-vi-ofi/" + user + "/" + provider + "/" + place + "/" + tag);
  }

  static int open() throws SysException {
    int type = Sockets.SOCK_SEQPACKET | Sockets.SOCK_NONBLOCK;
    return Sockets.socket(SocketAddresses.AF_UNIX, type, 0);
  }

  /// Connects to a listener of the same user.
  ///
  /// @param end the deadline according to [System#nanoTime]
  static ControlSocket connect(AbstractUnixAddress name, String place, int tag, long end)
      throws IOException {
    ControlSocket socket = new ControlSocket(open());
    try {
      int result = Sockets.connect(socket.fd, name);
      while (result == -Errno.EAGAIN && System.nanoTime() - end < 0) {
        nap(); // the listener's queue is full
        result = Sockets.connect(socket.fd, name);
      }
      if (result == -Errno.EAGAIN) {
        throw DeviceException.notAccepted(null);
      }
      if (result == -Errno.ECONNREFUSED) {
        throw DeviceException.noListener(
            "for tag "
                + tag
                + " at "
                + place
                + ". Fix: start the server first, as the same user, in the same network namespace");
      }
      SysException.check(result, "connect", name);
      socket.checkUser();
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /// @throws IOException if the peer belongs to another user
  void checkUser() throws IOException {
    PeerCredentials peer = PeerCredentials.of(fd);
    if (peer.uid() != PeerCredentials.ownUser()) {
      throw new DeviceException(
          Fault.REFUSED,
          "the peer belongs to user " + peer.uid() + ". Fix: run both ends as one user");
    }
    sameProcess = peer.pid() == ProcessHandle.current().pid();
  }

  /// Returns true if [#checkUser] found that the peer belongs to this process.
  boolean isSameProcess() {
    return sameProcess;
  }

  void say(Greeting greeting) throws IOException {
    greeting.write(packet);
    int sent = Sockets.send(fd, packet, 0, Greeting.BYTES, FLAGS);
    SysException.check(sent, "sendto", fd);
  }

  /// Reads the peer's greeting if it has arrived.
  ///
  /// @return the greeting, or null if it has not arrived yet
  /// @throws DeviceException if the peer has disconnected, refuses the connection, or violates the
  ///   protocol
  @Nullable Greeting hear(int verdict) throws DeviceException {
    int count = Sockets.recv(fd, packet, 0, Greeting.BYTES, FLAGS);
    if (count == Greeting.BYTES) {
      return Greeting.read(packet, verdict);
    }
    if (count != -Errno.EAGAIN && count != -Errno.EINTR) {
      throw DeviceException.peerListenerClosed();
    }
    return null;
  }

  static void nap() throws DeviceException {
    if (Thread.currentThread().isInterrupted()) {
      throw DeviceException.interrupted("a connection was made", null);
    }
    LockSupport.parkNanos(NAP_NANOS);
  }

  /// Notifies the peer of the reason why this side has ended, and closes the socket. Idempotent.
  ///
  /// @param sent the number of messages that this side has sent, or -1 if the connection failed
  void end(long sent) {
    if (fd >= 0) {
      packet.set(JAVA_BYTE, 0, sent < 0 ? FAILED : CLOSED);
      packet.set(JAVA_LONG, Long.BYTES, sent);
      // If the peer does not read this packet, it is notified by the end of the stream.
      int _ = Sockets.send(fd, packet, 0, 2 * Long.BYTES, FLAGS);
      close();
    }
  }

  /// Checks if the peer has ended.
  ///
  /// @return the end of the peer, or null if it has not ended
  @Nullable End look() {
    int count = fd < 0 ? -Errno.EAGAIN : Sockets.recv(fd, packet, 0, Greeting.BYTES, FLAGS);
    if (count == -Errno.EAGAIN || count == -Errno.EINTR) {
      return null;
    }
    if (count == 2 * Long.BYTES && packet.get(JAVA_BYTE, 0) == CLOSED) {
      long sent = packet.get(JAVA_LONG, Long.BYTES);
      return new End(Failure.PEER_CLOSED, Math.max(0, sent));
    }
    return count == 2 * Long.BYTES && packet.get(JAVA_BYTE, 0) == FAILED
        ? new End(Failure.PEER_FAILED, -1)
        : new End(Failure.PEER_ENDED, -1);
  }

  @Override
  public void close() {
    if (fd >= 0) {
      int _ = Files.close(fd);
      fd = -1;
    }
  }
}
