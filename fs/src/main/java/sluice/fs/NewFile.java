package sluice.fs;

import org.jspecify.annotations.Nullable;

/// The description of a file to create. Immutable and safe for use by any thread.
///
/// @param kind the kind of the file
/// @param permissions 12 bits; the caller has applied its umask
/// @param deviceMajor major number of a device file, else 0
/// @param deviceMinor minor number of a device file, else 0
/// @param target target of a symbolic link, else null; must not change afterwards
/// @param journaledData true to journal the content of a regular file like metadata, so that after
///   a crash a write and the other changes of its [FileTree#group] exist together or not at all;
///   stays with the file (`chattr +j`). Trees without a journal ignore it
@SuppressWarnings("ArrayRecordComponent") // made once, handed on, never compared
public record NewFile(
    FileKind kind,
    int permissions,
    int deviceMajor,
    int deviceMinor,
    byte @Nullable [] target,
    boolean journaledData) {

  public static NewFile regular(int permissions) {
    return new NewFile(FileKind.REGULAR, permissions, 0, 0, null, false);
  }

  public static NewFile directory(int permissions) {
    return new NewFile(FileKind.DIRECTORY, permissions, 0, 0, null, false);
  }

  public static NewFile symlink(byte[] target) {
    return new NewFile(FileKind.SYMLINK, 0x1FF, 0, 0, target.clone(), false);
  }

  public static NewFile device(FileKind kind, int permissions, int major, int minor) {
    return new NewFile(kind, permissions, major, minor, null, false);
  }

  public NewFile withJournaledData() {
    return new NewFile(kind, permissions, deviceMajor, deviceMinor, target, true);
  }
}
