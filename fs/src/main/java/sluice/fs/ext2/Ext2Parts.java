package sluice.fs.ext2;

import sluice.fs.ext2.layout.Names;

/// The components of a mounted [Ext2]. Instances are immutable and thread-safe.
final class Ext2Parts {
  final InodeTable table;
  final InodeCache inodes;
  final BlockAllocator blockAllocator;
  final InodeAllocator inodeAllocator;
  final BlockMap map;
  final Directories directories;
  final DirectoryLister lister;
  final DentryCache dentries;
  final ExtendedAttributes attributes;
  final FileCapabilities capabilities;
  final Orphans orphans;

  Ext2Parts(Volume volume, MountOptions options) {
    Names names = new Names();
    table = new InodeTable(volume);
    inodes = new InodeCache(volume.geometry, table, options.inodes());
    blockAllocator = new BlockAllocator(volume);
    inodeAllocator = new InodeAllocator(volume);
    map = new BlockMap(volume, blockAllocator, options.mapPages());
    directories = new Directories(volume, map, blockAllocator, names, options.indexBytes());
    lister = new DirectoryLister(volume.geometry, inodes, directories);
    dentries = new DentryCache(names, options.dentries());
    attributes = new ExtendedAttributes(volume, table, blockAllocator);
    capabilities = new FileCapabilities(volume, inodes, table, attributes);
    orphans = new Orphans(volume, table, inodes, map, inodeAllocator, attributes);
  }
}
