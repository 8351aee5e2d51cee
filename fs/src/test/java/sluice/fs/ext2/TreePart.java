package sluice.fs.ext2;

/// The part of a tree that only one of several threads changes: a directory with the part's name,
/// and the names in the shared directory that begin with it. Immutable.
///
/// @param name without `/`; empty if one thread changes everything
record TreePart(String name) {
  static final TreePart WHOLE = new TreePart("");

  /// The directory that all threads share.
  static final String SHARED = "/shared";

  /// The prefix of the names of files that are passed from thread to thread.
  static final String TOKEN = "token-";

  boolean whole() {
    return name.isEmpty();
  }

  /// Returns the thread's own directory.
  String root() {
    return whole() ? "" : "/" + name;
  }

  /// Returns the prefix of the thread's names in the shared directory.
  String sharedPrefix() {
    return SHARED + "/" + name + "-";
  }

  boolean has(String path) {
    return path.equals(root()) || path.startsWith(root() + "/") || path.startsWith(sharedPrefix());
  }

  /// Returns true if the part, or some of it, is below a directory.
  boolean isBelow(String path) {
    return path.isEmpty() || path.equals(SHARED);
  }
}
