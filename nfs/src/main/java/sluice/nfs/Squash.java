package sluice.nfs;

/// The mapping of the user IDs of clients to the anonymous user, as in exports(5).
public enum Squash {
  /// No ID is mapped.
  NONE,
  /// Root becomes the anonymous user.
  ROOT,
  /// Every user becomes the anonymous user.
  ALL
}
