package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Kernel;
import sluice.sys.call.Layout;
import sluice.sys.call.SystemCall;

/// The structure `struct ucred`, which identifies the process at the other end of a UNIX socket.
/// The kernel records it when the socket is connected, so the peer cannot forge it.
///
/// Instances are immutable and thread-safe.
///
/// ```
///  byte 0      4      8      12
///      +------+------+------+
///      | pid  | uid  | gid  |
///      +------+------+------+
/// ```
///
/// ```c
/// struct ucred { pid_t pid; uid_t uid; gid_t gid; };
/// ```
///
/// @param pid the process id in the PID namespace of the caller, or 0 if the peer has no id there
public record PeerCredentials(int pid, int uid, int gid) {
  static final Layout LAYOUT = Layout.of("struct ucred");
  static final int PID = LAYOUT.u32("pid");
  static final int UID = LAYOUT.u32("uid");
  static final int GID = LAYOUT.u32("gid");

  /// Returns the credentials of the peer of a connected UNIX socket (`SO_PEERCRED`).
  public static PeerCredentials of(int fd) throws SysException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(LAYOUT.sizeBytes(), Integer.BYTES);
      int result = Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_PEERCRED, value);
      SysException.check(result, "getsockopt", fd, Sockets.SOL_SOCKET, Sockets.SO_PEERCRED);
      return new PeerCredentials(
          value.get(JAVA_INT, PID), value.get(JAVA_INT, UID), value.get(JAVA_INT, GID));
    }
  }

  /// Returns the effective user id of this process.
  public static int ownUser() {
    return (int) Kernel.call(SystemCall.GETEUID, 0);
  }
}
