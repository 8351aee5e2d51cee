/// Block devices, a buffer cache, a journal and ext2: storage in the process.
///
/// A way to read it, from the top; each step needs only what came before. `docs/storage.md` shows
/// the use, `docs/design/004-storage.md` the decisions.
///
/// 1. **What users see.** [FileTree] is the seam: inode numbers, [Caller], [FileAttributes],
///    [AttributeChange], [NewFile], [FsException], content in memory objects ([SliceSink]).
/// 2. **Below it.** [BlockDevice] ([BlockDevices]: memory, file, io_uring), [BufferCache] with
///    [Buffer]s, [Journal] with [Transaction]s ([Journals]). Nobody here knows of files.
/// 3. **The device on io_uring.** `UringDevice` shares transfers among `UringLane`s.
/// 4. **The cache.** `FrameCache` is its whole interface; `Frame` is a block in memory. Looking up:
///    `BlockTable`; reading in: `FrameLoader`, `ReadAhead`; which frame goes: `FrameQueues`,
///    `FrameSupply`; changing: `FrameClaims`, `FrameTransaction`; writing out: `DirtyList`,
///    `WriteBack`, `Flusher`.
/// 5. **The journal.** `PlainJournal` is none. `Jbd2Journal` collects changes in a `LogGroup`,
///    `LogWriter` writes it into a `LogFile`, `Checkpoints` brings blocks to their places,
///    `LogReplay` carries a log out after a crash. `LogFormat` and `LogLayout` are the bytes.
/// 6. **ext2, what is on the device.** `*Layout` classes are the structures; `Geometry` the shape
///    of an image, `Features` what of it we know; [Ext2Format] makes one, [Ext2Check] checks one.
/// 7. **ext2, in memory.** [Ext2] mounts and delegates. `Volume` is what its `Parts` share,
///    `Operation` one change under way. Files: `Inode`, `InodeCache`, `InodeTable`. Content:
///    `FileContent` reads and `FileWriter` changes, `BlockMap` knows where. Names: `Namespace`,
///    `Renames`, `Directories`, and in memory `DentryCache` and `DirectoryIndex`. Space:
///    `GroupDescriptors`, `BlockAllocator`, `InodeAllocator`. What lost its last name: `Orphans`.
///
/// Two packages show any [FileTree] to others and use nothing but it: `sluice.fs.provider` as a
/// `java.nio.file` file system, `sluice.fs.fuse` mounted in the kernel's tree.
package sluice.fs;
