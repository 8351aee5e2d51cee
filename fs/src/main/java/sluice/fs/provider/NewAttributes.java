package sluice.fs.provider;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;

/// Attributes a file is made with, and permissions as bits. Stateless: any thread may use it.
final class NewAttributes {
  /// Taken from what is asked for, as a shell starts with: group and others do not write.
  static final int MASK = 0x12;

  private NewAttributes() {}

  /// @param otherwise permissions when none are given
  /// @return permissions without those of the mask
  /// @throws UnsupportedOperationException for attributes other than `posix:permissions`
  static int permissions(int otherwise, FileAttribute<?>... attributes) {
    int bits = otherwise;
    for (FileAttribute<?> attribute : attributes) {
      String name = Objects.requireNonNull(attribute).name();
      if (!name.equals("posix:permissions") && !name.equals("unix:permissions")) {
        throw new UnsupportedOperationException("a file is not made with '" + name + "'");
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

  /// @param permissions of [PosixFilePermission]
  static int bits(Set<?> permissions) {
    int bits = 0;
    for (Object one : permissions) {
      bits |= bit((PosixFilePermission) Objects.requireNonNull(one));
    }
    return bits;
  }
}
