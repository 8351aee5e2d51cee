package sluice.nfs;

/// Which of the ids that a client names are not believed, as in exports(5). Any thread may use it.
public enum Squash {
  /// All are believed.
  NONE,
  /// Root becomes the anonymous user.
  ROOT,
  /// Each user becomes the anonymous one.
  ALL
}
