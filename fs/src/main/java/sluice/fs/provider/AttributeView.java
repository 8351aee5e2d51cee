package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.FileKind;
import sluice.sys.Errno;

/// An implementation of the views `basic`, `owner` and `posix` of a file. Instances are immutable
/// and thread-safe. Each call looks up the path again.
///
/// @param name the name of the view
record AttributeView(String name, PathAt place, boolean follow) implements PosixFileAttributeView {
  /// Returns a view of the given type, which may also be [UserAttributes].
  ///
  /// @return the view, or null if the type is not supported
  static <V extends FileAttributeView> @Nullable V of(PathAt place, Class<V> type, boolean follow) {
    if (Objects.requireNonNull(type) == UserDefinedFileAttributeView.class) {
      return type.cast(new UserAttributes(place, follow));
    }
    String name =
        type == BasicFileAttributeView.class
            ? "basic"
            : type == PosixFileAttributeView.class
                ? "posix"
                : type == FileOwnerAttributeView.class ? "owner" : "";
    return name.isEmpty() ? null : type.cast(new AttributeView(name, place, follow));
  }

  @Override
  public TreeAttributes readAttributes() throws IOException {
    TreeFileSystem fs = place.fileSystem();
    return fs.call(
        place.path(), () -> new TreeAttributes(place.attributes(follow), fs.tree().status().id()));
  }

  void change(AttributeChange change) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    fs.run(
        place.path(),
        () -> {
          long inode = place.inode(follow);
          boolean link = !follow && fs.tree().attributes(inode).kind() == FileKind.SYMLINK;
          if (link && change.has(AttributeChange.MODE)) {
            throw ErrnoExceptions.refuse(
                Errno.EOPNOTSUPP); // Linux does not store permissions of symbolic links
          }
          fs.tree().setAttributes(fs.caller(), inode, change);
        });
  }

  /// Sets the modification and access times. The creation time is ignored because Linux has no
  /// system call to change it.
  @Override
  public void setTimes(
      @Nullable FileTime modified, @Nullable FileTime accessed, @Nullable FileTime created)
      throws IOException {
    AttributeChange change = AttributeChange.NONE;
    if (modified != null) {
      change = change.withModify(TreeAttributes.nanos(modified));
    }
    if (accessed != null) {
      change = change.withAccess(TreeAttributes.nanos(accessed));
    }
    if (change.set() != 0) {
      change(change);
    }
  }

  /// Sets the permissions. Clears set-user-id, set-group-id and sticky, like the JDK's provider on
  /// Linux.
  @Override
  public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
    change(AttributeChange.NONE.withMode(NewAttributes.bits(permissions)));
  }

  @Override
  public void setGroup(GroupPrincipal group) throws IOException {
    change(AttributeChange.NONE.withGroup(Principal.id(group)));
  }

  @Override
  public UserPrincipal getOwner() throws IOException {
    return readAttributes().owner();
  }

  @Override
  public void setOwner(UserPrincipal owner) throws IOException {
    change(AttributeChange.NONE.withOwner(Principal.id(owner)));
  }
}
