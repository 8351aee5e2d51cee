package sluice.nfs;

/// A file as a handle names it, after the handle was found to be ours. Immutable: any thread may
/// use it. Whether the file still exists is for its tree to say.
final class FileRef {
  final Export export;
  final long inode;
  final int generation;

  /// The keyed checksum of the handle.
  final long seal;

  FileRef(Export export, long inode, int generation, long seal) {
    this.export = export;
    this.inode = inode;
    this.generation = generation;
    this.seal = seal;
  }

  /// Whether both are the same file of the same export.
  boolean isSame(FileRef other) {
    return export == other.export && inode == other.inode && generation == other.generation;
  }
}
