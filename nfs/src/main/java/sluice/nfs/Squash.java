package sluice.nfs;

/// The mapping of client user IDs to the anonymous user, as in exports(5).
public enum Squash {
  /// No ID is mapped.
  NONE,
  /// Root becomes the anonymous user.
  ROOT,
  /// Every user becomes the anonymous user.
  ALL
}
