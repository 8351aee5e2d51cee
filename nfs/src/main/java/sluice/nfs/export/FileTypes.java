package sluice.nfs.export;

import sluice.fs.FileAttributes;
import sluice.fs.FileKind;

/// What kinds of files are called in messages: the `ftype3` of RFC 1813, section 2.6, whose numbers
/// `nfs_ftype4` shares. Stateless: any thread may use it.
public final class FileTypes {
  private FileTypes() {}

  /// The kind of a number, [FileKind#UNKNOWN] when it is none.
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

  /// The number of a file's kind.
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
