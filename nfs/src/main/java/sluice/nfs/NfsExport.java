package sluice.nfs;

import sluice.fs.FileTree;

/// A directory of a tree that a server exports. Immutable: any thread may use it.
///
/// @param path what clients mount, such as `/` or `/data`
/// @param tree stays open as long as the server; its owner closes it
/// @param directory of the tree, `/` for all of it
/// @param options which clients may use it, and how
public record NfsExport(String path, FileTree tree, String directory, ExportOptions options) {
  /// All of a tree.
  public static NfsExport of(String path, FileTree tree, ExportOptions options) {
    return new NfsExport(path, tree, "/", options);
  }
}
