package sluice.nfs;

import sluice.fs.FileTree;

/// A directory of a file tree that a server exports. Immutable and thread-safe.
///
/// @param path the path that clients mount, such as `/` or `/data`
/// @param tree the tree, which its owner closes after the server
/// @param directory the path of the directory in the tree, `/` for the whole tree
/// @param options the clients that may use the export, and their rights
public record NfsExport(String path, FileTree tree, String directory, ExportOptions options) {
  /// Returns an export of the root directory of the given tree.
  public static NfsExport of(String path, FileTree tree, ExportOptions options) {
    return new NfsExport(path, tree, "/", options);
  }
}
