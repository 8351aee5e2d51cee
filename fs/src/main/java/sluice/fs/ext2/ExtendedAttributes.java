package sluice.fs.ext2;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import sluice.fs.Caller;
import sluice.fs.FileTree;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.AccessControlList;
import sluice.fs.ext2.layout.AttributeLayout;
import sluice.fs.ext2.layout.AttributeRegion;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.sys.Errno;

/// The extended attributes of inodes. They are stored in the inode if they fit, and otherwise in
/// one separate block. Callers must hold the lock of the inode, and must hold the write lock for
/// changes.
///
/// The supported namespaces are `user`, `trusted` and `security`. Access control lists are neither
/// enforced nor listed, but programs that copy files can read them with [#accessControlList].
final class ExtendedAttributes {
  private static final int MAX_VALUE_BYTES = 65536;
  private static final String[] PREFIXES = {"user.", "trusted.", "security."};
  private static final int[] INDEXES = {
    AttributeLayout.USER, AttributeLayout.TRUSTED, AttributeLayout.SECURITY
  };

  private static final AttributeRegion.Name CAPABILITY =
      new AttributeRegion.Name(
          AttributeLayout.SECURITY, "capability".getBytes(StandardCharsets.ISO_8859_1));

  private final Volume volume;
  private final Geometry geometry;
  private final InodeTable table;
  private final BlockAllocator allocator;

  /// Guards the reference counts of blocks that are shared by several inodes.
  private final ReentrantLock sharing = new ReentrantLock();

  ExtendedAttributes(Volume volume, InodeTable table, BlockAllocator allocator) {
    this.volume = volume;
    this.table = table;
    this.allocator = allocator;
    geometry = volume.geometry;
  }

  // ---- names ------------------------------------------------------------------------------------

  /// Splits the full name of an attribute into its namespace and its name.
  ///
  /// @throws FsException `EOPNOTSUPP` if the namespace is not supported, or `ERANGE` if the name is
  ///   too long
  private static AttributeRegion.Name parse(Caller caller, Inode inode, byte[] full, int right)
      throws FsException {
    String text = new String(full, StandardCharsets.ISO_8859_1);
    for (int i = 0; i < PREFIXES.length; i++) {
      if (text.startsWith(PREFIXES[i])) {
        byte[] rest = Arrays.copyOfRange(full, PREFIXES[i].length(), full.length);
        if (rest.length == 0) {
          throw FsException.of(Errno.EINVAL, "an attribute without a name");
        }
        if (full.length > EntryLayout.MAX_NAME_BYTES) {
          throw FsException.of(Errno.ERANGE, "an attribute's name of " + full.length + " bytes");
        }
        return new AttributeRegion.Name(INDEXES[i], rest);
      }
    }
    Permissions.require(caller, inode, right);
    throw FsException.of(
        Errno.EOPNOTSUPP, "attributes named " + text + "; kept are user, trusted and security");
  }

  private static void checkRead(Caller caller, Inode inode, int index) throws FsException {
    if (index == AttributeLayout.TRUSTED && !caller.privileged()) {
      throw FsException.of(Errno.ENODATA, "only root may read trusted attributes");
    }
    if (index == AttributeLayout.USER) {
      if (!inode.isRegular() && !inode.isDirectory()) {
        throw FsException.of(Errno.ENODATA, "only files and directories have user attributes");
      }
      Permissions.require(caller, inode, FileTree.READ);
    }
  }

  private static void checkWrite(Caller caller, Inode inode, int index) throws FsException {
    Permissions.requireNotFixed(inode);
    if (index != AttributeLayout.USER) {
      if (!caller.privileged()) {
        throw FsException.of(Errno.EPERM, "only root may change trusted and security attributes");
      }
      return;
    }
    if (!inode.isRegular() && !inode.isDirectory()) {
      throw FsException.of(Errno.EPERM, "only files and directories have user attributes");
    }
    if (inode.isDirectory() && (inode.mode & Permissions.STICKY) != 0) {
      Permissions.requireOwner(caller, inode);
    }
    Permissions.require(caller, inode, FileTree.WRITE);
  }

  // ---- reading ----------------------------------------------------------------------------------

  byte[] get(Caller caller, Inode inode, byte[] fullName) throws IOException {
    AttributeRegion.Name name = parse(caller, inode, fullName, FileTree.READ);
    checkRead(caller, inode, name.index());
    byte[] value = find(inode, name);
    if (value == null) {
      throw FsException.of(Errno.ENODATA, "no such attribute of inode " + inode.number);
    }
    return value;
  }

  private byte @Nullable [] find(Inode inode, AttributeRegion.Name name) throws IOException {
    byte[] value = inInode(inode).value(name);
    return value == null ? inBlock(inode).value(name) : value;
  }

  /// Returns true if a program file has capabilities, which are stored in `security.capability`.
  boolean hasCapability(Inode inode) throws IOException {
    return find(inode, CAPABILITY) != null;
  }

  /// Removes the capabilities of a file. The caller must store the inode.
  void dropCapability(Operation op, Inode inode) throws IOException {
    if (hasCapability(inode)) {
      set(op, Caller.ROOT, inode, CAPABILITY, null, 0);
    }
  }

  private static AttributeRegion.Name listName(boolean ofNewFiles) {
    int index = ofNewFiles ? AttributeLayout.ACL_DEFAULT : AttributeLayout.ACL_ACCESS;
    return new AttributeRegion.Name(index, new byte[0]);
  }

  /// Returns an access control list in the format of the system call, or null if there is none.
  ///
  /// @param ofNewFiles true for the default list, which new files in a directory inherit
  /// @throws FsException `EUCLEAN` if the stored bytes are not a valid list
  byte @Nullable [] accessControlList(Inode inode, boolean ofNewFiles) throws IOException {
    byte[] stored = find(inode, listName(ofNewFiles));
    return stored == null ? null : AccessControlList.ofDevice(stored, inode.number);
  }

  byte[] list(Caller caller, Inode inode) throws IOException {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (AttributeRegion region : List.of(inInode(inode), inBlock(inode))) {
      for (AttributeRegion.Entry entry : region.entries()) {
        for (int i = 0; i < INDEXES.length; i++) {
          boolean hidden = INDEXES[i] == AttributeLayout.TRUSTED && !caller.privileged();
          if (entry.name().index() == INDEXES[i] && !hidden) {
            names.writeBytes(PREFIXES[i].getBytes(StandardCharsets.ISO_8859_1));
            names.writeBytes(entry.name().bytes());
            names.write(0);
          }
        }
      }
    }
    return names.toByteArray();
  }

  private int inodeRoom(Inode inode) {
    int room = geometry.inodeBytes - InodeLayout.GOOD_OLD_BYTES - inode.extraBytes - 4;
    return inode.extraBytes < 4 ? 0 : Math.max(0, room);
  }

  private AttributeRegion inInode(Inode inode) throws IOException {
    int room = inodeRoom(inode);
    AttributeRegion region = new AttributeRegion(room, 0);
    if (room > 0) {
      long block = table.block(inode.number);
      int at = table.offset(inode.number) + InodeLayout.GOOD_OLD_BYTES + inode.extraBytes;
      try (Buffer buffer = volume.cache.read(block)) {
        if (buffer.getInt(at) == AttributeLayout.MAGIC) {
          byte[] bytes = new byte[room];
          buffer.get(at + 4, bytes, 0, room);
          region.parse(bytes, inode.number, block);
        }
      }
    }
    return region;
  }

  private AttributeRegion inBlock(Inode inode) throws IOException {
    AttributeRegion region = new AttributeRegion(geometry.blockBytes, AttributeLayout.HEADER_BYTES);
    if (inode.attributeBlock != 0) {
      byte[] bytes = new byte[geometry.blockBytes];
      try (Buffer buffer = volume.cache.read(inode.attributeBlock)) {
        buffer.get(0, bytes, 0, bytes.length);
        if (buffer.getInt(0) != AttributeLayout.MAGIC
            || buffer.getInt(AttributeLayout.BLOCKS) != 1
            || buffer.getInt(AttributeLayout.REFERENCES) < 1) {
          throw FsException.corrupt(
              inode.number, inode.attributeBlock, "not a block of extended attributes");
        }
      }
      region.parse(bytes, inode.number, inode.attributeBlock);
    }
    return region;
  }

  // ---- changing ---------------------------------------------------------------------------------

  /// Sets or removes an attribute. The caller must store the inode.
  ///
  /// @param value the new value, or null to remove the attribute
  /// @param flags 0, 1 (`XATTR_CREATE`) or 2 (`XATTR_REPLACE`)
  /// @throws FsException `ENODATA`, `EEXIST`, `ENOSPC` or `E2BIG`, in which case nothing is changed
  void set(
      Operation op, Caller caller, Inode inode, byte[] fullName, byte @Nullable [] value, int flags)
      throws IOException {
    AttributeRegion.Name name = parse(caller, inode, fullName, FileTree.WRITE);
    checkWrite(caller, inode, name.index());
    if (value != null && value.length > MAX_VALUE_BYTES) {
      throw FsException.of(Errno.E2BIG, "an attribute of " + value.length + " bytes");
    }
    set(op, caller, inode, name, value, flags);
  }

  /// Sets an access control list. The caller must store the inode.
  ///
  /// @param list the list in the format of the system call
  /// @throws FsException `EINVAL` if the list is not valid, `EACCES` for a default list of a file
  ///   that is not a directory, `EOPNOTSUPP` for symbolic links, or `ENOSPC`; in all cases nothing
  ///   is changed
  void setAccessControlList(Operation op, Inode inode, boolean ofNewFiles, byte[] list)
      throws IOException {
    byte[] stored = AccessControlList.toDevice(list);
    if (inode.isSymlink()) {
      throw FsException.of(Errno.EOPNOTSUPP, "an access control list of a symbolic link");
    }
    if (ofNewFiles && !inode.isDirectory()) {
      throw FsException.of(
          Errno.EACCES, "a default access control list for a file that is not a directory");
    }
    set(op, Caller.ROOT, inode, listName(ofNewFiles), stored, 0);
  }

  private void set(
      Operation op,
      Caller caller,
      Inode inode,
      AttributeRegion.Name name,
      byte @Nullable [] value,
      int flags)
      throws IOException {
    volume.requireAttributes();
    inode.withoutCapability &= value == null || !name.sameAs(CAPABILITY);
    AttributeRegion inner = inInode(inode);
    AttributeRegion outer = inBlock(inode);
    boolean wasInner = inner.remove(name);
    boolean wasOuter = outer.remove(name);
    boolean was = wasInner || wasOuter;
    if (!was && (value == null || flags == 2)) {
      throw FsException.of(Errno.ENODATA, "no such attribute of inode " + inode.number);
    }
    if (was && flags == 1) {
      throw FsException.of(Errno.EEXIST, "the attribute exists on inode " + inode.number);
    }
    boolean outerChanged = wasOuter;
    boolean innerChanged = wasInner;
    if (value != null) {
      if (inner.add(name, value)) {
        innerChanged = true;
      } else if (outer.add(name, value)) {
        outerChanged = true;
      } else {
        throw FsException.of(Errno.ENOSPC, "no room for the attribute in inode " + inode.number);
      }
    }
    if (outerChanged) {
      storeBlock(op, caller, inode, outer);
    }
    if (innerChanged) {
      storeInner(op, inode, inner);
    }
    volume.noteAttributes(op);
  }

  private void storeInner(Operation op, Inode inode, AttributeRegion region) throws IOException {
    byte[] bytes = region.bytes(false);
    table.change(
        op,
        inode.number,
        (buffer, at) -> {
          int start = at + InodeLayout.GOOD_OLD_BYTES + inode.extraBytes;
          buffer.setInt(start, region.entries().isEmpty() ? 0 : AttributeLayout.MAGIC);
          buffer.set(start + 4, bytes, 0, bytes.length);
        });
  }

  private void storeBlock(Operation op, Caller caller, Inode inode, AttributeRegion region)
      throws IOException {
    if (region.entries().isEmpty()) {
      dropBlock(op, inode);
      return;
    }
    sharing.lock();
    try {
      boolean shared = false;
      if (inode.attributeBlock != 0) {
        try (Buffer buffer = volume.cache.read(inode.attributeBlock)) {
          shared = buffer.getInt(AttributeLayout.REFERENCES) > 1;
        }
      }
      if (inode.attributeBlock == 0 || shared) {
        volume.groups.reserveAll(op, 1, caller);
        long old = inode.attributeBlock;
        long goal = geometry.groupStart(geometry.groupOfInode(inode.number)) + 1;
        inode.attributeBlock = allocator.allocate(op, goal, 1) & 0xFF_FFFF_FFFFL;
        inode.sectors += geometry.blockBytes >> 9;
        if (old != 0) {
          release(op, inode, old);
        }
      }
      byte[] bytes = region.bytes(true);
      try (Buffer buffer = op.create(inode.attributeBlock)) {
        buffer.set(0, bytes, 0, bytes.length);
      }
    } finally {
      sharing.unlock();
    }
  }

  /// Releases the attribute block of an inode. The caller must store the inode.
  void dropBlock(Operation op, Inode inode) throws IOException {
    long block = inode.attributeBlock;
    if (block == 0) {
      return;
    }
    sharing.lock();
    try {
      release(op, inode, block);
      inode.attributeBlock = 0;
    } finally {
      sharing.unlock();
    }
  }

  private void release(Operation op, Inode inode, long block) throws IOException {
    int references;
    try (Buffer buffer = volume.cache.read(block)) {
      boolean good = buffer.getInt(0) == AttributeLayout.MAGIC;
      references = good ? buffer.getInt(AttributeLayout.REFERENCES) : 1;
    }
    if (references > 1 && references <= AttributeLayout.MAX_REFERENCES) {
      try (Buffer buffer = op.change(block)) {
        buffer.setInt(AttributeLayout.REFERENCES, references - 1);
      }
    } else {
      op.forget(block);
      allocator.free(op, inode.number, block, 1);
    }
    inode.sectors = Math.max(0, inode.sectors - (geometry.blockBytes >> 9));
  }
}
