package sluice.fs.provider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import sluice.fs.FileTree;

/// The view `user`, which gives access to the extended attributes in the `user` namespace.
/// Instances are immutable and thread-safe. Each call looks up the path again.
record UserAttributes(PathAt place, boolean follow) implements UserDefinedFileAttributeView {
  private static final String PREFIX = "user.";

  @Override
  public String name() {
    return "user";
  }

  static byte[] full(String name) {
    return (PREFIX + Objects.requireNonNull(name)).getBytes(StandardCharsets.UTF_8);
  }

  private FileTree tree() {
    return place.fileSystem().tree();
  }

  @Override
  public List<String> list() throws IOException {
    TreeFileSystem fs = place.fileSystem();
    byte[] all =
        fs.call(place.path(), () -> tree().extendedAttributes(fs.caller(), place.inode(follow)));
    return names(all);
  }

  /// Returns the names in the `user` namespace, without the prefix.
  ///
  /// @param all the names in all namespaces, each terminated by NUL
  static List<String> names(byte[] all) {
    List<String> names = new ArrayList<>();
    for (String name : new String(all, StandardCharsets.UTF_8).split("\0", -1)) {
      if (name.startsWith(PREFIX)) {
        names.add(name.substring(PREFIX.length()));
      }
    }
    return names;
  }

  byte[] value(String name) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    byte[] full = full(name);
    return fs.call(
        place.path(), () -> tree().extendedAttribute(fs.caller(), place.inode(follow), full));
  }

  @Override
  public int size(String name) throws IOException {
    return value(name).length;
  }

  @Override
  public int read(String name, ByteBuffer target) throws IOException {
    if (target.isReadOnly()) {
      throw new IllegalArgumentException("the buffer is read-only");
    }
    byte[] value = value(name);
    if (value.length > target.remaining()) {
      throw new FileSystemException(
          place.toString(), null, "'" + name + "' has " + value.length + " bytes");
    }
    target.put(value);
    return value.length;
  }

  @Override
  public int write(String name, ByteBuffer source) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    byte[] full = full(name);
    byte[] value = new byte[source.remaining()];
    source.get(source.position(), value);
    fs.run(
        place.path(),
        () -> tree().setExtendedAttribute(fs.caller(), place.inode(follow), full, value, 0));
    source.position(source.limit());
    return value.length;
  }

  @Override
  public void delete(String name) throws IOException {
    TreeFileSystem fs = place.fileSystem();
    byte[] full = full(name);
    fs.run(
        place.path(), () -> tree().removeExtendedAttribute(fs.caller(), place.inode(follow), full));
  }
}
