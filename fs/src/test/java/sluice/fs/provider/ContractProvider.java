package sluice.fs.provider;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import sluice.fs.Caller;
import sluice.fs.block.BlockDevice;
import sluice.fs.ext2.Ext2;
import sluice.fs.ext2.MountOptions;
import sluice.fs.ext2.format.Ext2Format;
import sluice.fs.ext2.format.FormatOptions;
import sluice.fs.storage.BlockDevices;

/// The file systems on which a contract is tested: the JDK's own provider as the control, and ours.
/// Safe for use by any thread.
enum ContractProvider {
  HOST,
  EXT2;

  private static final AtomicInteger MADE = new AtomicInteger();

  /// An empty directory that is removed when it is closed. Confined to the test's thread.
  interface Directory extends AutoCloseable {
    Path path();

    @Override
    void close() throws IOException;
  }

  Directory directory() throws IOException {
    return this == HOST ? host() : ext2(32 << 20, Caller.ROOT);
  }

  private static Directory host() throws IOException {
    Path path = Files.createTempDirectory("ground").toRealPath();
    return new Directory() {
      @Override
      public Path path() {
        return path;
      }

      @Override
      public void close() throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
          for (Path one : all.sorted((a, b) -> b.compareTo(a)).toList()) {
            Files.delete(one);
          }
        }
      }
    };
  }

  /// Creates an in-memory file system that acts for `caller`, with a directory that the caller may
  /// change.
  static Directory ext2(long bytes, Caller caller) throws IOException {
    BlockDevice device = BlockDevices.memory(bytes);
    FormatOptions format = FormatOptions.forDevice(bytes).withBlockBytes(1024);
    Ext2Format.format(device, format.withJournalBlocks(0), _ -> {});
    Ext2 tree = Ext2.mount(device, MountOptions.defaults().withCacheBytes(8 << 20));
    URI uri = URI.create("ext2:/in-memory-" + MADE.incrementAndGet() + "!/");
    FileSystem fs = FileSystems.newFileSystem(uri, Map.of("tree", tree, "caller", caller));
    Path path = fs.getPath("/ground");
    tree.create(
        Caller.ROOT,
        tree.rootInode(),
        "ground".getBytes(java.nio.charset.StandardCharsets.UTF_8),
        sluice.fs.NewFile.directory(caller.privileged() ? 0755 : 0777));
    return new Directory() {
      @Override
      public Path path() {
        return path;
      }

      @Override
      public void close() throws IOException {
        fs.close();
        device.close();
      }
    };
  }
}
