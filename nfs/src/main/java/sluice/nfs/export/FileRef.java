package sluice.nfs.export;

import java.io.IOException;
import sluice.fs.FsException;

/// A file as a handle names it, after the handle was found to be ours. Immutable: any thread may
/// use it. Whether the file still exists is for its tree to say.
public final class FileRef {
  static final byte[] NO_LOCATOR = {};

  public final Export export;
  public final long inode;
  public final int generation;

  /// The keyed checksum of the handle.
  final long seal;

  /// What the tree needs to find it again ([FileTree#locator]); empty where the number is enough.
  final byte[] locator;

  public FileRef(Export export, long inode, int generation, long seal) {
    this(export, inode, generation, seal, NO_LOCATOR);
  }

  FileRef(Export export, long inode, int generation, long seal, byte[] locator) {
    this.locator = locator;
    this.export = export;
    this.inode = inode;
    this.generation = generation;
    this.seal = seal;
  }

  /// Makes its inode number good again in a tree that may have forgotten it. Before a worker uses
  /// the file; a loop's thread does without.
  ///
  /// @throws FsException `ESTALE` when the file is gone
  public void recall() throws IOException {
    if (locator.length > 0) {
      export.exported().tree().recall(inode, locator);
    }
  }

  /// Whether both are the same file of the same export.
  boolean isSame(FileRef other) {
    return export == other.export && inode == other.inode && generation == other.generation;
  }
}
