package sluice.nfs.export;

import java.io.IOException;
import sluice.fs.FsException;

/// A reference to a file, decoded from a verified file handle. Instances are immutable and
/// thread-safe. The file may have been removed in the meantime, which an operation of its tree
/// reports.
public final class FileRef {
  static final byte[] NO_LOCATOR = {};

  public final Export export;
  public final long inode;
  public final int generation;

  /// The keyed checksum of the handle.
  final long seal;

  /// The data that the tree needs in order to find the file again ([FileTree#locator]). It is empty
  /// if the inode number is sufficient.
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

  /// Makes the inode number valid again in a tree that may have evicted the file. Workers call this
  /// method before they use the file; it must not be called on a loop's thread.
  ///
  /// @throws FsException `ESTALE` if the file was removed
  public void recall() throws IOException {
    if (locator.length > 0) {
      export.exported().tree().recall(inode, locator);
    }
  }

  /// Returns true if both references identify the same file of the same export.
  boolean isSame(FileRef other) {
    return export == other.export && inode == other.inode && generation == other.generation;
  }
}
