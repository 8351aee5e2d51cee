package sluice.sys.sockets;

import java.io.IOException;
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
import sluice.sys.PeerCredentials;

/// The option that returns the user and the group of a UNIX socket's peer. This class is stateless,
/// and is loaded only if the module `jdk.net` is present.
record PeerPrincipal() implements KernelOption {
  @Override
  public Object get(int fd, StandardProtocolFamily family) throws IOException {
    var peer = SocketErrors.translate(() -> PeerCredentials.of(fd));
    if (peer.uid() == -1) {
      throw new SocketException("Please connect socket first");
    }
    return principal(peer.pid(), peer.uid(), peer.gid());
  }

  @Override
  public void set(int fd, StandardProtocolFamily family, Object value) throws IOException {
    throw new SocketException("Unable to set socket option SO_PEERCRED");
  }

  /// Returns the principals of the peer. The JDK determines their names from the peer's entry in
  /// `/proc`. If there is no entry, or if it belongs to a later process, the numbers are used as
  /// names.
  private static UnixDomainPrincipal principal(int pid, int uid, int gid) throws IOException {
    try {
      Map<String, Object> owners =
          Files.readAttributes(Path.of("/proc", Integer.toString(pid)), "unix:uid,gid,owner,group");
      if (Objects.equals(owners.get("uid"), uid) && Objects.equals(owners.get("gid"), gid)) {
        return new UnixDomainPrincipal(
            (UserPrincipal) owners.get("owner"), (GroupPrincipal) owners.get("group"));
      }
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException none) {
      // The process has terminated or is hidden, or the default file system is not the JDK's.
    }
    var lookup = FileSystems.getDefault().getUserPrincipalLookupService();
    return new UnixDomainPrincipal(
        lookup.lookupPrincipalByName(Integer.toString(uid)),
        lookup.lookupPrincipalByGroupName(Integer.toString(gid)));
  }
}
