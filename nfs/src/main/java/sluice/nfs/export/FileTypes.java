package sluice.nfs.export;

import sluice.fs.FileAttributes;
import sluice.fs.FileKind;

/// Maps file kinds to `ftype3` (RFC 1813, section 2.6) and back. `nfs_ftype4` has the same numbers.
/// Stateless.
public final class FileTypes {
  private FileTypes() {}

  /// Returns the kind of a number, or [FileKind#UNKNOWN].
  public static FileKind kind(int type) {
    return switch (type) {
      case 1 -> FileKind.REGULAR;
      case 2 -> FileKind.DIRECTORY;
      case 3 -> FileKind.BLOCK_DEVICE;
      case 4 -> FileKind.CHARACTER_DEVICE;
      case 5 -> FileKind.SYMLINK;
      case 6 -> FileKind.SOCKET;
      case 7 -> FileKind.FIFO;
      default -> FileKind.UNKNOWN;
    };
  }

  /// Returns the number of a file's kind.
  public static int type(FileAttributes a) {
    return switch (a.kind()) {
      case REGULAR, UNKNOWN -> 1;
      case DIRECTORY -> 2;
      case BLOCK_DEVICE -> 3;
      case CHARACTER_DEVICE -> 4;
      case SYMLINK -> 5;
      case SOCKET -> 6;
      case FIFO -> 7;
    };
  }
}
