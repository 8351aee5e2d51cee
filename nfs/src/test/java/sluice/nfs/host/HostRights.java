package sluice.nfs.host;

/// What tests of a host's directory may do. Any thread may call.
public final class HostRights {
  private HostRights() {}

  /// Whether this process may take on others' ids and open files by handle.
  public static boolean all() {
    return HostCalls.privileged();
  }
}
