package sluice.acceptance.suites;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.provider.Ext2FileSystemProvider;
import sluice.fs.storage.BlockDevices;

/// Makes an ext2 file system in memory the default one of a JVM, so that programs that know nothing
/// of it run in it: `-Djava.nio.file.spi.DefaultFileSystemProvider`. Any thread may call.
///
/// The file system is that of our own provider; this one only stands where the JDK wants scheme
/// `file`.
public final class Ext2AsDefault extends FileSystemProvider {
  private static final long DEVICE_BYTES = 512L << 20;

  /// Not root, to which nothing is forbidden.
  private static final Caller USER = new Caller(1000, 1000);

  private final FileSystemProvider own = new Ext2FileSystemProvider();
  private final FileSystem fileSystem;

  /// @param host the JDK's
  public Ext2AsDefault(FileSystemProvider host) throws IOException {
    BlockDevice device = BlockDevices.memory(DEVICE_BYTES);
    // A random number would already need the default file system.
    UUID uuid = new UUID(1, 2);
    Ext2Format.format(device, new FormatOptions(4096, 16_384, 5, "", uuid, 1024), _ -> {});
    Ext2 tree = Ext2.mount(device, MountOptions.defaults());
    tree.setAttributes(
        Caller.ROOT,
        tree.rootInode(),
        AttributeChange.NONE.withOwner(USER.uid()).withGroup(USER.gid()));
    fileSystem =
        own.newFileSystem(URI.create("ext2:/default!/"), Map.of("tree", tree, "caller", USER));
    for (String directory : List.of("java.io.tmpdir", "user.dir")) {
      Files.createDirectories(fileSystem.getPath(System.getProperty(directory)));
    }
    FileSystem hosts = host.getFileSystem(URI.create("file:///"));
    copy(hosts.getPath(System.getProperty("java.home"), "conf", "security"));
  }

  /// Brings what the JDK itself reads to where it looks for it.
  private void copy(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(path -> Files.isRegularFile(path)).toList()) {
        Path copy = fileSystem.getPath(file.toString());
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy);
      }
    }
  }

  @Override
  public String getScheme() {
    return "file";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> options) {
    throw new FileSystemAlreadyExistsException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return fileSystem;
  }

  @Override
  public Path getPath(URI uri) {
    return fileSystem.getPath(uri.getPath());
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return own.newByteChannel(path, options, attributes);
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return own.newFileChannel(path, options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
    return own.newDirectoryStream(directory, filter);
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    own.createDirectory(directory, attributes);
  }

  @Override
  public void delete(Path path) throws IOException {
    own.delete(path);
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    own.copy(source, target, options);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    own.move(source, target, options);
  }

  @Override
  public boolean isSameFile(Path path, Path other) throws IOException {
    return own.isSameFile(path, other);
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return own.isHidden(path);
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return own.getFileStore(path);
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    own.checkAccess(path, modes);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    return own.getFileAttributeView(path, type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    return own.readAttributes(path, type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
      throws IOException {
    return own.readAttributes(path, names, options);
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options)
      throws IOException {
    own.setAttribute(path, name, value, options);
  }
}
