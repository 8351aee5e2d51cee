package sluice.fs.ext2;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import sluice.fs.AttributeChange;
import sluice.fs.Caller;
import sluice.fs.DirectorySink;
import sluice.fs.FileAttributes;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.NewFile;
import sluice.fs.SliceSink;
import sluice.fs.SpaceWait;
import sluice.fs.TreeStatus;
import sluice.fs.block.BlockDevice;
import sluice.fs.block.Buffer;
import sluice.fs.block.BufferCache;
import sluice.fs.block.Journal;
import sluice.fs.block.Transaction;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Features;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.SuperblockLayout;
import sluice.fs.storage.BufferCaches;
import sluice.fs.storage.Journals;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.Errno;

/// An implementation of the second extended file system on a block device. It may be used by
/// several threads at the same time.
///
/// This class reads and writes images of revision 0 and 1 with blocks of 1, 2 and 4 KiB, such as
/// those created by `mke2fs -t ext2` and `-t ext3`. Each change is performed as a single
/// [Transaction] of the [Journal], or as several transactions each of which leaves the file system
/// consistent.
///
/// The implementation follows Card, Ts'o, Tweedie, "Design and Implementation of the Second
/// Extended Filesystem", 1994; Poirier, "The Second Extended File System", 2019; and Golm et al.,
/// "The JX Operating System", USENIX 2002, section 4.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | closed | the thread that closes first | volatile | volatile |
public final class Ext2 implements FileTree {
  /// The number of metadata blocks that a group is expected to change. This limits the number of
  /// groups that can be open at the same time.
  private static final int GROUP_CREDITS = 32;

  private final BlockDevice device;
  private final Volume volume;
  private final BufferCache cache;
  private final Ext2Parts parts;
  private final FileContent content;
  private final FileWriter writer;
  private final AttributeWriter attributeWriter;
  private final Namespace namespace;
  private final Renames renames;
  private final MountState mountState;
  private volatile boolean closed;

  private Ext2(BlockDevice device, Volume volume, MountOptions options) throws IOException {
    this.device = device;
    this.volume = volume;
    cache = volume.cache;
    parts = new Ext2Parts(volume, options);
    content = new FileContent(volume, parts.inodes, parts.table, parts.map, options.accessTimes());
    writer = new FileWriter(volume, parts);
    attributeWriter = new AttributeWriter(volume, parts, writer);
    namespace = new Namespace(volume, parts);
    renames = new Renames(volume, parts, namespace);
    mountState = new MountState(volume);
  }

  /// Mounts an image. The caller retains ownership of the device and must close it after the tree.
  ///
  /// If the previous mount was interrupted by a crash, its log is replayed. A read-only mount does
  /// not write to the device, and instead reads the blocks that are contained in the log from the
  /// log ([#blocksInLog]).
  ///
  /// @throws FsException `EINVAL` if the image is not ext2 or has unknown features, `EROFS` if a
  ///   writable mount was requested but the image can only be read, or `EUCLEAN` if the image is
  ///   inconsistent
  public static Ext2 mount(BlockDevice device, MountOptions options) throws IOException {
    Geometry geometry = Geometry.of(readSuperblock(device), device.lengthBytes());
    String why = geometry.whyReadOnly();
    if (options.readOnly()) {
      why = "it was mounted read-only";
    } else if (!why.isEmpty()) {
      throw FsException.of(Errno.EROFS, why + "; Fix: mount it read-only");
    } else if (device.readOnly()) {
      throw FsException.of(Errno.EROFS, "the device is read-only; Fix: mount it read-only");
    }
    if (geometry.has(Features.HAS_JOURNAL) && geometry.journalInode == 0 && why.isEmpty()) {
      throw FsException.of(
          Errno.EROFS, "its journal is on another device; Fix: mount it read-only");
    }
    boolean journaled = geometry.journalInode != 0 && why.isEmpty();
    if (journaled) {
      JournalMount.setNeedsRecovery(device, true);
    }
    BlockDevice seen = journaled ? device : JournalMount.replayedInMemory(device, geometry);
    BufferCache cache = BufferCaches.open(seen, geometry.blockBytes, options.cacheBytes());
    Journal journal = null;
    try {
      journal =
          journaled
              ? Journals.jbd2(cache, JournalMount.places(geometry, cache))
              : Journals.plain(cache);
      // The log may have contained a newer superblock.
      Geometry replayed = Geometry.of(readSuperblock(cache, geometry), device.lengthBytes());
      return mount(seen, new Volume(replayed, cache, journal, why), options);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, journal);
      closeAfter(e, cache);
      throw e;
    }
  }

  /// Mounts an image using the given cache and journal. These are [BufferCaches] together with
  /// [Journals#plain], or other implementations that are compatible with each other. The tree
  /// closes the journal and then the cache, and the caller retains ownership of the device. If the
  /// image contains a log, it is not replayed and must be empty.
  ///
  /// @throws FsException like the other method, and `EROFS` if the log is not empty
  public static Ext2 mount(
      BlockDevice device, BufferCache cache, Journal journal, MountOptions options)
      throws IOException {
    Geometry geometry = Geometry.of(readSuperblock(device), device.lengthBytes());
    String why = options.readOnly() ? "it was mounted read-only" : geometry.whyReadOnly();
    if ((geometry.incompatible & Features.NEEDS_RECOVERY) != 0) {
      throw FsException.of(Errno.EROFS, "its log is not empty; Fix: Journals.replay, or e2fsck -p");
    }
    if (!options.readOnly() && !why.isEmpty()) {
      throw FsException.of(Errno.EROFS, why + "; Fix: mount it read-only");
    }
    return mount(device, new Volume(geometry, cache, journal, why), options);
  }

  private static void closeAfter(Exception failure, @Nullable AutoCloseable opened) {
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (Exception e) {
      failure.addSuppressed(e);
    }
  }

  /// Mounts an image on an open volume, which is closed by the tree.
  static Ext2 mount(BlockDevice device, Volume volume, MountOptions options) throws IOException {
    Ext2 tree = new Ext2(device, volume, options);
    try {
      tree.beginMount();
    } catch (IOException | RuntimeException e) {
      tree.content.close();
      throw e;
    }
    return tree;
  }

  private void beginMount() throws IOException {
    JournalMount.protect(volume); // before the first inode is read
    if (!parts.inodes.get(InodeLayout.ROOT).isDirectory()) {
      throw FsException.corrupt(InodeLayout.ROOT, -1, "the root is not a directory");
    }
    if (!volume.readOnly()) {
      mountState.begin();
      parts.orphans.recover(mountState.firstOrphan());
    }
  }

  /// Returns the 1024 bytes of the superblock of a device without validating them.
  static byte[] readSuperblock(BlockDevice device) throws IOException {
    int bytes = 4096;
    if (device.lengthBytes() < bytes) {
      throw FsException.of(
          Errno.EINVAL,
          "no ext2 file system: it has fewer than the "
              + bytes
              + " bytes of the smallest one; Fix: give an image made by sluice fs mkfs or mke2fs");
    }
    Block block = Block.allocate(new Account("superblock", bytes), bytes);
    if (block == null) {
      throw FsException.of(Errno.ENOMEM, "no memory for a superblock");
    }
    try {
      device.read(0, block, 0, bytes);
      byte[] superblock = new byte[SuperblockLayout.BYTES];
      ByteBuffer from = block.segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      from.get(SuperblockLayout.POSITION, superblock);
      return superblock;
    } finally {
      block.release();
    }
  }

  private static byte[] readSuperblock(BufferCache cache, Geometry geometry) throws IOException {
    byte[] superblock = new byte[SuperblockLayout.BYTES];
    try (Buffer buffer = cache.read(geometry.superblockBlock())) {
      buffer.get(geometry.superblockOffset(), superblock, 0, superblock.length);
    }
    return superblock;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the file tree is closed");
    }
  }

  @Override
  public long rootInode() {
    return InodeLayout.ROOT;
  }

  /// Returns the number of blocks that this read-only mount reads from the log of a mount that was
  /// interrupted by a crash. The number is 0 if there was nothing to replay, or if the log was
  /// replayed to the device.
  public int blocksInLog() {
    return Journals.overlaid(device);
  }

  @Override
  public TreeStatus status() {
    requireOpen();
    Geometry g = volume.geometry;
    long free = volume.groups.freeBlocks();
    return new TreeStatus(
        g.blockBytes,
        g.blocks - overhead(),
        free,
        Math.max(0, free - g.reservedBlocks),
        g.inodes,
        volume.groups.freeInodes(),
        EntryLayout.MAX_NAME_BYTES,
        Namespace.MAX_LINKS,
        g.maxFileBytes(),
        ByteBuffer.wrap(g.uuid).getLong() ^ ByteBuffer.wrap(g.uuid, 8, 8).getLong(),
        volume.readOnly());
  }

  /// Returns the number of blocks that can never belong to a file. Linux's `statfs(2)` excludes
  /// them as well.
  private long overhead() {
    Geometry g = volume.geometry;
    long blocks = g.firstDataBlock;
    for (int group = 0; group < g.groups; group++) {
      blocks += (g.hasSuperblock(group) ? 1 + g.descriptorBlocks() : 0) + 2 + g.inodeTableBlocks();
    }
    return blocks;
  }

  // ---- queries that never wait ------------------------------------------------------------------

  @Override
  public @Nullable FileAttributes tryAttributes(long inode) {
    Inode found = parts.inodes.find(inode);
    if (found == null) {
      return null;
    }
    FileAttributes now = found.tryAttributes();
    return now == null || (now.links() == 0 && found.retains == 0) ? null : now;
  }

  @Override
  public long tryLookup(Caller caller, long directory, byte[] name) throws FsException {
    return namespace.tryLookup(caller, directory, name);
  }

  @Override
  public long tryAccess(Caller caller, long inode, int rights) {
    FileAttributes a = tryAttributes(inode);
    return a == null
        ? WOULD_BLOCK
        : Permissions.granted(caller, a.mode(), a.uid(), a.gid(), rights);
  }

  @Override
  public long tryRead(long inode, long position, int count, SliceSink sink) {
    requireOpen();
    return content.trySlices(inode, position, count, sink);
  }

  // ---- reading ----------------------------------------------------------------------------------

  @Override
  public FileAttributes attributes(long number) throws IOException {
    FileAttributes now = tryAttributes(number);
    if (now != null) {
      return now;
    }
    requireOpen();
    Inode inode = parts.inodes.lockToRead(number);
    inode.unlockRead();
    return inode.attributes();
  }

  @Override
  public long lookup(Caller caller, long directory, byte[] name) throws IOException {
    requireOpen();
    return namespace.lookup(caller, directory, name);
  }

  @Override
  public int access(Caller caller, long inode, int rights) throws IOException {
    FileAttributes a = attributes(inode);
    return Permissions.granted(caller, a.mode(), a.uid(), a.gid(), rights);
  }

  @Override
  public byte[] readLink(long inode) throws IOException {
    requireOpen();
    return content.readLink(inode);
  }

  @Override
  public int read(long inode, long position, Memory into, long at, int count) throws IOException {
    requireOpen();
    return content.read(inode, position, into, at, count);
  }

  @Override
  public int slices(long inode, long position, int count, SliceSink sink) throws IOException {
    requireOpen();
    return content.slices(inode, position, count, sink);
  }

  @Override
  public long seek(long inode, long position, boolean hole) throws IOException {
    requireOpen();
    return content.seek(inode, position, hole);
  }

  @Override
  public boolean list(long directory, long cookie, DirectorySink sink) throws IOException {
    requireOpen();
    boolean end = parts.lister.list(directory, cookie, sink);
    content.noteAccess(directory);
    return end;
  }

  // ---- changing ---------------------------------------------------------------------------------

  /// A change that is retried after the journal has made freed blocks available.
  private interface Change<T> {
    T run() throws IOException;
  }

  /// Runs a change. If it fails with `ENOSPC`, the change is retried while blocks that have been
  /// freed become available.
  private <T> T change(Change<T> change) throws IOException {
    requireOpen();
    GroupDescriptors groups = volume.groups;
    groups.releaseStable();
    SpaceWait wait = null;
    while (true) {
      long freed = groups.releases();
      try {
        return change.run();
      } catch (FsException e) {
        wait = wait == null ? new SpaceWait() : wait;
        if (e.errno() != Errno.ENOSPC || !wait.mayTryAgain() || !groups.awaitBlocks(freed)) {
          throw e;
        }
      }
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private void act(Action action) throws IOException {
    boolean done =
        change(() -> {
          action.run();
          return true;
        });
    assert done;
  }

  @Override
  public long create(Caller caller, long directory, byte[] name, NewFile what) throws IOException {
    return change(() -> namespace.create(caller, directory, name, what));
  }

  @Override
  public void link(Caller caller, long inode, long directory, byte[] name) throws IOException {
    act(() -> namespace.link(caller, inode, directory, name));
  }

  @Override
  public void unlink(Caller caller, long directory, byte[] name) throws IOException {
    requireOpen();
    namespace.unlink(caller, directory, name);
  }

  @Override
  public void rmdir(Caller caller, long directory, byte[] name) throws IOException {
    requireOpen();
    namespace.rmdir(caller, directory, name);
  }

  @Override
  public void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags)
      throws IOException {
    act(() -> renames.rename(caller, from, name, to, newName, flags));
  }

  @Override
  public void setAttributes(Caller caller, long inode, AttributeChange change) throws IOException {
    requireOpen();
    attributeWriter.set(caller, inode, change);
  }

  @Override
  public int write(Caller caller, long inode, long position, Memory from, long at, int count)
      throws IOException {
    requireOpen();
    return writer.write(caller, inode, position, from, at, count);
  }

  @Override
  public void allocate(Caller caller, long inode, int flags, long position, long length)
      throws IOException {
    requireOpen();
    writer.allocate(caller, inode, flags, position, length);
  }

  // ---- extended attributes ----------------------------------------------------------------------

  @Override
  public byte[] extendedAttribute(Caller caller, long number, byte[] name) throws IOException {
    requireOpen();
    Inode inode = parts.inodes.lockToRead(number);
    try {
      return parts.attributes.get(caller, inode, name);
    } finally {
      inode.unlockRead();
    }
  }

  @Override
  public void setExtendedAttribute(Caller caller, long inode, byte[] name, byte[] value, int flags)
      throws IOException {
    if (flags < 0 || flags > 2) {
      throw FsException.of(Errno.EINVAL, "flags " + flags + " of setxattr");
    }
    act(() ->
        changeAttribute(
            inode, (op, file) -> parts.attributes.set(op, caller, file, name, value, flags)));
  }

  @Override
  public void removeExtendedAttribute(Caller caller, long inode, byte[] name) throws IOException {
    requireOpen();
    changeAttribute(inode, (op, file) -> parts.attributes.set(op, caller, file, name, null, 0));
  }

  /// A change of the attributes of an inode.
  private interface AttributeSetting {
    void apply(Operation op, Inode inode) throws IOException;
  }

  private void changeAttribute(long number, AttributeSetting setting) throws IOException {
    try (Operation op = volume.begin(12)) {
      Inode inode = parts.inodes.lockToChange(number);
      try {
        setting.apply(op, inode);
        inode.touch(Inode.CHANGED, namespace.now(inode));
        parts.table.store(op, inode);
        op.done();
      } finally {
        inode.unlock();
      }
    }
  }

  @Override
  public byte[] extendedAttributes(Caller caller, long number) throws IOException {
    requireOpen();
    Inode inode = parts.inodes.lockToRead(number);
    try {
      return parts.attributes.list(caller, inode);
    } finally {
      inode.unlockRead();
    }
  }

  /// Returns the access control list of a file in the format of Linux's `system.posix_acl_access`,
  /// or null if the file has none. This method is intended for programs that copy files. Access
  /// control lists are not enforced, and they are not included in [#extendedAttributes].
  ///
  /// @param ofNewFiles true for the list `system.posix_acl_default`, which new files in a directory
  ///   inherit
  /// @throws FsException `EUCLEAN` if the stored bytes are not a valid list
  public byte @Nullable [] accessControlList(long number, boolean ofNewFiles) throws IOException {
    requireOpen();
    Inode inode = parts.inodes.lockToRead(number);
    try {
      return parts.attributes.accessControlList(inode, ofNewFiles);
    } finally {
      inode.unlockRead();
    }
  }

  /// Sets the access control list of a file. The mode is not changed. The group bits of the mode
  /// contain the mask of the list, and the caller is responsible for setting them.
  ///
  /// @param list the list in the format of `system.posix_acl_access`
  /// @throws FsException `EINVAL` if the list is not valid, `EACCES` for a default list of a file
  ///   that is not a directory, `EOPNOTSUPP` for symbolic links and for images of revision 0, or
  ///   `ENOSPC`
  public void setAccessControlList(long inode, boolean ofNewFiles, byte[] list) throws IOException {
    byte[] copy = list.clone();
    act(() ->
        changeAttribute(
            inode,
            (op, file) -> parts.attributes.setAccessControlList(op, file, ofNewFiles, copy)));
  }

  // ---- life and durability ----------------------------------------------------------------------

  @Override
  public void retain(long number) throws IOException {
    requireOpen();
    Inode inode = parts.inodes.lockToChange(number);
    inode.retains++;
    inode.unlock();
  }

  @Override
  public void release(long number) throws IOException {
    requireOpen();
    Inode inode = parts.inodes.lockToChange(number);
    if (inode.retains == 0) {
      inode.unlock();
      throw FsException.of(Errno.EINVAL, "inode " + number + " is not retained");
    }
    inode.retains--;
    boolean last = !inode.isAlive();
    inode.unlock();
    if (last) {
      parts.orphans.finish(inode);
    }
  }

  @Override
  public void sync(long inode, boolean dataOnly) throws IOException {
    requireOpen();
    parts.inodes.get(inode);
    if (!volume.mountedReadOnly()) {
      volume.journal.await(volume.journal.point());
    }
  }

  @Override
  public void sync() throws IOException {
    requireOpen();
    if (!volume.readOnly()) {
      mountState.storeCounts();
    }
    if (!volume.mountedReadOnly()) {
      volume.journal.sync();
    }
  }

  @Override
  public void settle() throws IOException {
    sync();
    if (!volume.mountedReadOnly()) {
      volume.journal.settle();
    }
  }

  @Override
  public boolean atomicGroups() {
    return volume.journal.atomic();
  }

  @Override
  public long spaceFreed() {
    return volume.groups.releases();
  }

  @Override
  public boolean awaitSpace(long seen) throws IOException {
    return volume.groups.awaitBlocks(seen);
  }

  @Override
  public boolean changesOnlyHere() {
    return true;
  }

  @Override
  public boolean ordersContent() {
    return true;
  }

  @Override
  public Group group() throws IOException {
    requireOpen();
    volume.requireWritable();
    Transaction transaction = volume.journal.begin(GROUP_CREDITS);
    boolean outermost = !volume.groups.inGroup();
    volume.groups.beginGroup();
    return new Group() {
      private boolean ended;

      @Override
      public void close() throws IOException {
        if (!ended) {
          ended = true;
          transaction.close();
          if (outermost) {
            volume.groups.endGroup();
            parts.orphans.finishDeferred();
          }
        }
      }
    };
  }

  @Override
  public long stablePoint() {
    return volume.journal.point();
  }

  @Override
  public void awaitStable(long point) throws IOException {
    volume.journal.await(point);
  }

  @Override
  public void whenStable(long point, StableListener then) {
    volume.journal.whenStable(point, then);
  }

  /// Frees all files that have no name, including retained files, makes all changes durable, and
  /// marks the superblock as clean. This method is idempotent.
  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!volume.readOnly()) {
        parts.orphans.finishAll();
        mountState.storeCounts();
        volume.journal.sync();
        mountState.end();
      }
    } finally {
      closeParts();
    }
    if (volume.journal.atomic() && !volume.failed()) {
      JournalMount.setNeedsRecovery(device, false);
    }
  }

  /// Returns true if the image is in a clean state, which is the case after [#close] unless a
  /// change has failed.
  public synchronized boolean closedCleanly() {
    return closed && !volume.failed();
  }

  private void closeParts() throws IOException {
    try {
      volume.journal.close();
    } finally {
      content.close();
      cache.close();
    }
  }
}
