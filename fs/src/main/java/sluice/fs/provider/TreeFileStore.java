package sluice.fs.provider;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.fs.TreeStatus;

/// The only file store of a [TreeFileSystem]. This class is thread-safe.
final class TreeFileStore extends FileStore {
  private static final Set<Class<? extends FileAttributeView>> VIEWS =
      Set.of(
          BasicFileAttributeView.class,
          PosixFileAttributeView.class,
          FileOwnerAttributeView.class,
          UserDefinedFileAttributeView.class);

  private final TreeFileSystem fileSystem;

  TreeFileStore(TreeFileSystem fileSystem) {
    this.fileSystem = fileSystem;
  }

  private TreeStatus status() throws IOException {
    return fileSystem.call(fileSystem.path(PathBytes.ROOT), fileSystem.tree()::status);
  }

  @Override
  public String name() {
    return fileSystem.imageName();
  }

  @Override
  public String type() {
    return PathUris.SCHEME;
  }

  @Override
  public boolean isReadOnly() {
    return fileSystem.isReadOnly();
  }

  @Override
  public long getTotalSpace() throws IOException {
    TreeStatus now = status();
    return now.blocks() * now.blockBytes();
  }

  /// Returns the usable space. If the file system was opened as root, this includes the blocks that
  /// are reserved for root. opened as root.
  @Override
  public long getUsableSpace() throws IOException {
    TreeStatus now = status();
    long blocks = fileSystem.caller().privileged() ? now.freeBlocks() : now.availableBlocks();
    return blocks * now.blockBytes();
  }

  @Override
  public long getUnallocatedSpace() throws IOException {
    TreeStatus now = status();
    return now.freeBlocks() * now.blockBytes();
  }

  @Override
  public long getBlockSize() throws IOException {
    return status().blockBytes();
  }

  @Override
  public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
    return VIEWS.contains(Objects.requireNonNull(type));
  }

  @Override
  public boolean supportsFileAttributeView(String name) {
    return TreeFileSystem.VIEWS.contains(name);
  }

  @Override
  public <V extends FileStoreAttributeView> @Nullable V getFileStoreAttributeView(Class<V> type) {
    Objects.requireNonNull(type);
    return null;
  }

  @Override
  public Object getAttribute(String attribute) throws IOException {
    return switch (attribute) {
      case "totalSpace" -> getTotalSpace();
      case "usableSpace" -> getUsableSpace();
      case "unallocatedSpace" -> getUnallocatedSpace();
      case "blockSize" -> getBlockSize();
      default -> throw new UnsupportedOperationException("a store has no '" + attribute + "'");
    };
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TreeFileStore store && store.fileSystem == fileSystem;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(fileSystem);
  }

  @Override
  public String toString() {
    return "/ (" + name() + ")";
  }
}
