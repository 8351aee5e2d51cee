package sluice.nio.descriptors;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.Map;
import java.util.Objects;
import jdk.net.UnixDomainPrincipal;
import sluice.sys.Sockets;

/// The user and the group of a UNIX socket's peer. Without state; loaded only where there is the
/// module `jdk.net`.
record PeerCredentials() implements KernelOption {
  private static final int UCRED_BYTES = 12; // struct ucred: pid, uid, gid
  private static final int UID = 4;
  private static final int GID = 8;

  @Override
  public Object get(int fd, StandardProtocolFamily family) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ids = arena.allocate(UCRED_BYTES, Integer.BYTES);
      NetErrors.check(Sockets.getsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_PEERCRED, ids));
      int uid = ids.get(ValueLayout.JAVA_INT, UID);
      if (uid == -1) {
        throw new SocketException("Please connect socket first");
      }
      return principal(ids.get(ValueLayout.JAVA_INT, 0), uid, ids.get(ValueLayout.JAVA_INT, GID));
    }
  }

  @Override
  public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
    throw new SocketException("Unable to set socket option SO_PEERCRED");
  }

  /// Names come from the peer's entry in `/proc`, which the JDK knows how to read; without one, or
  /// when the entry is of a later process, numbers are names.
  private static UnixDomainPrincipal principal(int pid, int uid, int gid) throws IOException {
    try {
      Map<String, Object> owners =
          Files.readAttributes(Path.of("/proc", Integer.toString(pid)), "unix:uid,gid,owner,group");
      if (Objects.equals(owners.get("uid"), uid) && Objects.equals(owners.get("gid"), gid)) {
        return new UnixDomainPrincipal(
            (UserPrincipal) owners.get("owner"), (GroupPrincipal) owners.get("group"));
      }
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException none) {
      // ended, hidden, or a default file system that is not the JDK's
    }
    var lookup = FileSystems.getDefault().getUserPrincipalLookupService();
    return new UnixDomainPrincipal(
        lookup.lookupPrincipalByName(Integer.toString(uid)),
        lookup.lookupPrincipalByGroupName(Integer.toString(gid)));
  }
}
