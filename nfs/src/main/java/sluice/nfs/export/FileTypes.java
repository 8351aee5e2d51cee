package sluice.nfs.export;

import sluice.fs.FileAttributes;
import sluice.fs.FileKind;

/// Maps file kinds to `ftype3` (RFC 1813, section 2.6) and back. `nfs_ftype4` uses the same
/// numbers. This class is stateless.
public final class FileTypes {
  private FileTypes() {}

  /// Returns the kind with the given number, or [FileKind#UNKNOWN] if there is none.
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

  /// Returns the number that represents the kind of a file.
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
