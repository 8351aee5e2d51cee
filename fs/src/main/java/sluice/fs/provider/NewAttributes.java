package sluice.fs.provider;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;

/// The initial attributes of a file, and permissions as bits. Stateless and safe for use by any
/// thread.
final class NewAttributes {
  /// The umask: group and others may not write.
  static final int MASK = 0x12;

  private NewAttributes() {}

  /// Returns the permissions of a new file.
  ///
  /// @param otherwise the permissions if none are given
  /// @return the permissions, with the umask applied
  /// @throws UnsupportedOperationException for attributes other than `posix:permissions`
  static int permissions(int otherwise, FileAttribute<?>... attributes) {
    int bits = otherwise;
    for (FileAttribute<?> attribute : attributes) {
      String name = Objects.requireNonNull(attribute).name();
      if (!name.equals("posix:permissions") && !name.equals("unix:permissions")) {
        throw new UnsupportedOperationException("unsupported initial attribute '" + name + "'");
      }
      bits = bits((Set<?>) attribute.value());
    }
    return bits & ~MASK;
  }

  static int bit(PosixFilePermission permission) {
    return switch (permission) {
      case OWNER_READ -> 0x100;
      case OWNER_WRITE -> 0x80;
      case OWNER_EXECUTE -> 0x40;
      case GROUP_READ -> 0x20;
      case GROUP_WRITE -> 0x10;
      case GROUP_EXECUTE -> 8;
      case OTHERS_READ -> 4;
      case OTHERS_WRITE -> 2;
      case OTHERS_EXECUTE -> 1;
    };
  }

  /// Returns the mode bits of permissions.
  ///
  /// @param permissions elements of type [PosixFilePermission]
  static int bits(Set<?> permissions) {
    int bits = 0;
    for (Object one : permissions) {
      bits |= bit((PosixFilePermission) Objects.requireNonNull(one));
    }
    return bits;
  }
}
