package sluice.nfs.host;

/// The permissions of tests that use a host directory. Thread-safe.
public final class HostRights {
  private HostRights() {}

  /// Returns true if this process may change its IDs and open files by handle.
  public static boolean all() {
    return HostCalls.privileged();
  }
}
