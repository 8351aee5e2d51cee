import org.jspecify.annotations.NullMarked;

/// Provides storage: block devices, a buffer cache, a journal and the ext2 file system.
@NullMarked
module sluice.fs {
  requires static org.jspecify;
  requires sluice.loop;
  requires transitive sluice.memory;
  requires sluice.sys;

  exports sluice.fs;
  exports sluice.fs.block;
  exports sluice.fs.ext2;
  exports sluice.fs.ext2.format;
  exports sluice.fs.fuse;
  exports sluice.fs.storage;

  provides java.nio.file.spi.FileSystemProvider with
      sluice.fs.provider.Ext2FileSystemProvider;
}
