package sluice.fs;

import org.jspecify.annotations.Nullable;

/// The description of a file to be created. Instances are immutable and thread-safe.
///
/// @param kind the kind of the file
/// @param permissions the 12 permission bits, to which the caller has already applied its umask
/// @param deviceMajor the major number of a device file, or 0 for other files
/// @param deviceMinor the minor number of a device file, or 0 for other files
/// @param target the target of a symbolic link, or null for other files; the array must not be
///   modified afterwards
/// @param journaledData true to journal the content of a regular file like metadata, so that after
///   a crash either all changes of a [FileTree#group], including its writes, are present, or none
///   of them; the setting is stored with the file (`chattr +j`) and is ignored by trees without a
///   journal
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
