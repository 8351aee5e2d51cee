package sluice.fs.ext2;

/// What one of several threads alone changes in a tree: the directory of its name, and the names in
/// a directory of all that begin with its own. Immutable.
///
/// @param name without `/`; empty when one thread changes everything
record TreePart(String name) {
  static final TreePart WHOLE = new TreePart("");

  /// The directory of all.
  static final String SHARED = "/shared";

  /// The beginning of the names of what all threads pass on to each other.
  static final String TOKEN = "token-";

  boolean whole() {
    return name.isEmpty();
  }

  /// The directory that is its own.
  String root() {
    return whole() ? "" : "/" + name;
  }

  /// What its names in the directory of all begin with.
  String sharedPrefix() {
    return SHARED + "/" + name + "-";
  }

  boolean has(String path) {
    return path.equals(root()) || path.startsWith(root() + "/") || path.startsWith(sharedPrefix());
  }

  /// Whether it, or a part of it, is below a directory.
  boolean isBelow(String path) {
    return path.isEmpty() || path.equals(SHARED);
  }
}
