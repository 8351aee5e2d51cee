package sluice.fs;

import org.jspecify.annotations.Nullable;

/// What to create. Immutable: any thread may use it.
///
/// @param kind what it is
/// @param permissions 12 bits; the caller's mask is applied already
/// @param deviceMajor of a device file, else 0
/// @param deviceMinor of a device file, else 0
/// @param target where a symbolic link leads, else null; not to be changed afterwards
/// @param journaledData whether the content of a regular file is journaled as metadata is, so that
///   a write and what else is in its [FileTree#group] are there together or not at all after a
///   crash; stays with the file (`chattr +j`). Trees without a journal ignore it
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
