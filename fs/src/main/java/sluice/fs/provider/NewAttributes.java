package sluice.fs.provider;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;

/// Converts the initial attributes of a new file to mode bits. This class is stateless and
/// thread-safe.
final class NewAttributes {
  /// The umask, which removes write permission for the group and for others.
  static final int MASK = 0x12;

  private NewAttributes() {}

  /// Returns the permissions of a new file.
  ///
  /// @param otherwise the permissions to use if the attributes do not specify any
  /// @return the permissions after the umask has been applied
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

  /// Returns the mode bits for the given permissions.
  ///
  /// @param permissions a set whose elements are of type [PosixFilePermission]
  static int bits(Set<?> permissions) {
    int bits = 0;
    for (Object one : permissions) {
      bits |= bit((PosixFilePermission) Objects.requireNonNull(one));
    }
    return bits;
  }
}
