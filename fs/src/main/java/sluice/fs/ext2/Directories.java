package sluice.fs.ext2;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.fs.FileKind;
import sluice.fs.FileNames;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.DirectoryHash;
import sluice.fs.ext2.layout.EntryBytes;
import sluice.fs.ext2.layout.EntryLayout;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.HashTreeNode;
import sluice.fs.ext2.layout.InodeLayout;
import sluice.fs.ext2.layout.Names;
import sluice.fs.ext2.layout.ScratchBlocks;
import sluice.sys.Errno;

/// Finds, adds, replaces, removes and lists directory entries. Callers must hold the lock of the
/// directory, and must hold the write lock for changes.
///
/// In a directory of more than one block, names are looked up through an in-memory
/// [DirectoryIndex]. On the device, a directory is linear and its entries never move. If the image
/// has the feature `dir_index`, then a directory of two or more blocks has a hash tree
/// ([HashTree]), and entries move when a leaf is split ([HashTreeSplit]). When a tree is full it is
/// abandoned: its flag is cleared, and the space of its nodes is used for entries, as in Linux's
/// ext2.
final class Directories {
  private static final long MAX_BYTES = Integer.MAX_VALUE;

  /// The number of lookups through a hash tree after which an in-memory index is built.
  private static final int COLD_LOOKUPS = 32;

  private final Volume volume;
  private final Geometry geometry;
  private final BlockMap map;
  private final BlockAllocator allocator;
  private final Names names;
  private final HashTree hashTree;
  private final ScratchBlocks scratch;
  private final long maxIndexBytes;
  private final AtomicLong indexBytes = new AtomicLong();
  private final ConcurrentLinkedQueue<Indexed> indexed = new ConcurrentLinkedQueue<>();

  private record Indexed(Inode directory, DirectoryIndex index) {}

  /// An entry that was found in a directory.
  ///
  /// @param position the byte offset of the entry in the directory
  record Entry(long position, long inode, FileKind kind) {}

  /// The location for a new entry. It is valid for a single call of [#add], as long as the lock of
  /// the directory is held and no other change has been made.
  ///
  /// @param position the byte offset of the entry to split or reuse, or -1 to add a new block
  /// @param newBlocks the number of blocks that must be reserved before the change
  /// @param bytes the content of the block to which the entry is added
  /// @param inTree true if the entry is added to the leaf that is determined by the hash tree
  /// @param split the split of the leaf that has to be performed first, or null if none is needed
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record PathAt(
      long position, int newBlocks, byte[] bytes, boolean inTree, @Nullable HashTreeSplit split) {
    /// Returns true if adding the entry moves other entries.
    boolean movesOthers() {
      return split != null;
    }
  }

  /// Creates the directory operations of a volume.
  ///
  /// @param maxIndexBytes the maximum amount of memory for the indexes of large directories
  Directories(
      Volume volume, BlockMap map, BlockAllocator allocator, Names names, long maxIndexBytes) {
    this.volume = volume;
    this.map = map;
    this.allocator = allocator;
    this.names = names;
    this.maxIndexBytes = maxIndexBytes;
    geometry = volume.geometry;
    scratch = new ScratchBlocks(geometry.blockBytes);
    hashTree = new HashTree(geometry, this, scratch);
  }

  HashTree hashTree() {
    return hashTree;
  }

  // ---- blocks -----------------------------------------------------------------------------------

  /// Returns the device block for the given block of a directory.
  ///
  /// @throws FsException `EUCLEAN` if the block is a hole
  long deviceBlock(Inode directory, long block) throws IOException {
    long number = map.map(directory, block);
    if (number == 0) {
      throw FsException.corrupt(
          directory.number, -1, "a directory with a hole at its block " + block);
    }
    return number;
  }

  /// Reads a block of a directory and validates all of its entries.
  byte[] readBlock(Inode directory, long block) throws IOException {
    return readBlock(directory, block, new byte[geometry.blockBytes]);
  }

  private byte[] readBlock(Inode directory, long block, byte[] bytes) throws IOException {
    long number = deviceBlock(directory, block);
    try (Buffer buffer = volume.cache.read(number)) {
      buffer.get(0, bytes, 0, bytes.length);
    }
    EntryBytes.check(directory.number, number, bytes, geometry);
    return bytes;
  }

  long blocks(Inode directory) {
    return directory.size >> geometry.blockShift;
  }

  // ---- finding ----------------------------------------------------------------------------------

  /// Returns the entry with the given name, or null if it does not exist.
  @Nullable Entry find(Inode directory, byte[] name) throws IOException {
    if (blocks(directory) <= 1) {
      return blocks(directory) == 0 ? null : findIn(directory, 0, name);
    }
    DirectoryIndex index = directory.index;
    if (index == null) {
      if (isCold(directory) && !FileNames.isDots(name)) {
        HashTree.Path path = hashTree.find(directory, name);
        if (path != null) {
          Entry found = findFrom(directory, path, name);
          hashTree.give(path);
          return found;
        }
      }
      index = buildIndex(directory);
    }
    int hash = names.hash(directory.number, name);
    for (int slot = index.first(hash); slot >= 0; slot = index.next(hash, slot)) {
      Entry entry = entryAt(directory, index.position(slot), name);
      if (entry != null) {
        return entry;
      }
    }
    return null;
  }

  private boolean isCold(Inode directory) throws IOException {
    return hashTree.isIndexed(directory)
        && directory.coldLookups++ < COLD_LOOKUPS
        && hashTree.isWhole(directory);
  }

  /// Reads a block without validating it. The caller may return the array to the scratch blocks.
  byte[] readRaw(Inode directory, long block) throws IOException {
    byte[] bytes = scratch.take();
    if (block >= blocks(directory)) {
      throw FsException.corrupt(directory.number, -1, "its hash tree points to block " + block);
    }
    try (Buffer buffer = volume.cache.read(deviceBlock(directory, block))) {
      buffer.get(0, bytes, 0, bytes.length);
    }
    return bytes;
  }

  /// Searches a leaf of the hash tree, followed by the leaves that continue the same hash.
  private @Nullable Entry findFrom(Inode directory, HashTree.Path path, byte[] name)
      throws IOException {
    while (true) {
      if (path.leaf() >= blocks(directory)) {
        throw FsException.corrupt(
            directory.number, -1, "its hash tree leads to block " + path.leaf());
      }
      Entry entry = findIn(directory, path.leaf(), name);
      if (entry != null || !hashTree.goOn(directory, path)) {
        return entry;
      }
    }
  }

  private @Nullable Entry findIn(Inode directory, long block, byte[] name) throws IOException {
    byte[] bytes = readBlock(directory, block, scratch.take());
    Entry found = null;
    for (int at = 0; found == null && at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
      if (EntryBytes.isNamed(bytes, at, name)) {
        found =
            new Entry(
                (block << geometry.blockShift) + at,
                EntryBytes.inode(bytes, at),
                EntryBytes.kind(geometry, bytes, at));
      }
    }
    scratch.give(bytes);
    return found;
  }

  private @Nullable Entry entryAt(Inode directory, long position, byte[] name) throws IOException {
    int at = (int) position & (geometry.blockBytes - 1);
    try (Buffer b = volume.cache.read(deviceBlock(directory, position >> geometry.blockShift))) {
      if (b.getByte(at + EntryLayout.NAME_LENGTH) != name.length
          || at + EntryLayout.NAME + name.length > geometry.blockBytes) {
        return null;
      }
      byte[] there = new byte[name.length];
      b.get(at + EntryLayout.NAME, there, 0, name.length);
      if (!Arrays.equals(there, name)) {
        return null;
      }
      FileKind kind =
          geometry.entryTypes()
              ? FileKind.ofEntryType(b.getByte(at + EntryLayout.FILE_TYPE) & 7)
              : FileKind.UNKNOWN;
      return new Entry(position, b.getUnsignedInt(at), kind);
    }
  }

  private DirectoryIndex buildIndex(Inode directory) throws IOException {
    int count = (int) blocks(directory);
    DirectoryIndex index = new DirectoryIndex(count);
    volume.cache.readAhead(deviceBlock(directory, 0), Math.min(count, 64));
    for (int block = 0; block < count; block++) {
      byte[] bytes = readBlock(directory, block);
      for (int at = 0; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
        if (EntryBytes.inode(bytes, at) != 0) {
          int from = at + EntryLayout.NAME;
          int hash = names.hash(directory.number, bytes, from, EntryBytes.nameLength(bytes, at));
          index.add(hash, ((long) block << geometry.blockShift) + at);
        }
      }
      index.setRoom(block, EntryBytes.largestGap(bytes));
    }
    directory.index = index;
    admit(directory, index);
    return index;
  }

  /// Registers a new index and evicts the oldest indexes while their total size exceeds the memory
  /// limit. A thread that is using an evicted index may continue to use it.
  private void admit(Inode directory, DirectoryIndex index) {
    indexBytes.addAndGet(index.bytes());
    indexed.add(new Indexed(directory, index));
    while (indexBytes.get() > maxIndexBytes) {
      Indexed oldest = indexed.poll();
      if (oldest == null) {
        return;
      }
      indexBytes.addAndGet(-oldest.index.bytes());
      if (oldest.directory.index == oldest.index && oldest.index != index) {
        oldest.directory.index = null;
      }
    }
  }

  // ---- changing ---------------------------------------------------------------------------------

  /// Returns the location at which an entry with the given name can be added.
  ///
  /// @throws FsException `ENOSPC` if the directory cannot grow
  PathAt place(Inode directory, byte[] name) throws IOException {
    int needed = EntryLayout.bytes(name.length);
    long count = blocks(directory);
    PathAt inTree = hashTree.isIndexed(directory) ? placeInTree(directory, name) : null;
    if (inTree != null) {
      return inTree;
    }
    if (count == 1) {
      PathAt place = placeIn(directory, 0, needed);
      place = place != null ? place : placeInNewTree(directory, name);
      if (place != null) {
        return place;
      }
    } else if (count > 1) {
      DirectoryIndex index = directory.index;
      if (index == null) {
        index = buildIndex(directory);
      }
      int block = index.findRoom(needed);
      if (block >= 0) {
        PathAt place = placeIn(directory, block, needed);
        if (place == null) {
          throw FsException.corrupt(directory.number, -1, "its index contradicts block " + block);
        }
        return place;
      }
    }
    if (directory.size + geometry.blockBytes > MAX_BYTES) {
      throw FsException.of(Errno.ENOSPC, "directory " + directory.number + " cannot grow");
    }
    byte[] empty = new byte[geometry.blockBytes];
    EntryBytes.setHead(empty, 0, 0, geometry.blockBytes, 0);
    return new PathAt(-1, 1 + map.missingPointers(directory, count), empty, false, null);
  }

  /// Returns the location in the leaf that is determined by the hash tree, or null if the tree is
  /// full.
  private @Nullable PathAt placeInTree(Inode directory, byte[] name) throws IOException {
    hashTree.requireWhole(directory);
    HashTree.Path path = hashTree.find(directory, name);
    if (path == null) {
      throw hashTree.corrupt(directory, 0, "impossible limit or count");
    }
    long leaf = path.leaf();
    PathAt place = placeIn(directory, leaf, EntryLayout.bytes(name.length));
    if (place != null) {
      hashTree.give(path);
      return new PathAt(place.position(), 0, place.bytes(), true, null);
    }
    int more = path.lowest().isFull() ? 2 : 1;
    if (path.isFull() || !canGrow(directory, more)) {
      return null;
    }
    byte[] bytes = readBlock(directory, leaf, scratch.take());
    HashTreeSplit split = new HashTreeSplit(path, bytes, 0, geometry.hashSeed, scratch);
    if (!split.isPossible()) {
      throw hashTree.corrupt(directory, leaf, "names whose hashes are not of their leaf");
    }
    return new PathAt(-1, more + missingPointers(directory, more), bytes, true, split);
  }

  /// Returns the location in a one-block directory that is being converted to a hash tree, or null
  /// if the directory cannot be converted.
  private @Nullable PathAt placeInNewTree(Inode directory, byte[] name) throws IOException {
    byte[] bytes = readBlock(directory, 0, scratch.take());
    int second = EntryLayout.bytes(1);
    boolean usual =
        geometry.nameHash >= 0
            && EntryBytes.isNamed(bytes, 0, Names.DOT)
            && EntryBytes.recordLength(bytes, 0) == second
            && EntryBytes.isNamed(bytes, second, Names.DOT_DOT);
    if (!usual || !canGrow(directory, 2)) {
      return null;
    }
    HashTreeNode root = HashTreeNode.newRoot(bytes, geometry.nameHash % DirectoryHash.UNSIGNED);
    int hash = DirectoryHash.of(geometry.nameHash, name, geometry.hashSeed);
    HashTree.Path path = new HashTree.Path(geometry.nameHash, hash, root, true);
    int start = second + EntryBytes.recordLength(bytes, second);
    HashTreeSplit split = new HashTreeSplit(path, bytes, start, geometry.hashSeed, scratch);
    return split.isPossible()
        ? new PathAt(-1, 2 + missingPointers(directory, 2), bytes, true, split)
        : null;
  }

  private boolean canGrow(Inode directory, int more) {
    return directory.size + ((long) more << geometry.blockShift) <= MAX_BYTES;
  }

  /// Returns an upper bound on the number of indirect blocks that are required for the given number
  /// of new blocks.
  private int missingPointers(Inode directory, int more) throws IOException {
    int missing = 0;
    for (int i = 0; i < more; i++) {
      missing += map.missingPointers(directory, blocks(directory) + i);
    }
    return missing;
  }

  private @Nullable PathAt placeIn(Inode directory, long block, int needed) throws IOException {
    byte[] bytes = readBlock(directory, block, scratch.take());
    for (int at = 0; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
      if (EntryBytes.gap(bytes, at) >= needed) {
        return new PathAt((block << geometry.blockShift) + at, 0, bytes, false, null);
      }
    }
    scratch.give(bytes);
    return null;
  }

  /// Adds an entry at the location that was returned by [#place] while the same lock was held. The
  /// caller must store the directory's inode.
  void add(Operation op, Inode directory, PathAt place, byte[] name, Inode file)
      throws IOException {
    if (place.split() != null) {
      addToSplit(op, directory, place.split(), name, file);
      return;
    }
    long position = place.position();
    if (position < 0) {
      position = append(op, directory, null);
    }
    if (!place.inTree()) {
      directory.flags &= ~InodeLayout.FLAG_INDEX;
    }
    int at = (int) position & (geometry.blockBytes - 1);
    long block = position >> geometry.blockShift;
    byte[] bytes = place.bytes();
    int length = EntryBytes.recordLength(bytes, at);
    try (Buffer b = op.change(deviceBlock(directory, block))) {
      if (EntryBytes.inode(bytes, at) != 0) {
        int used = EntryLayout.bytes(EntryBytes.nameLength(bytes, at));
        b.setShort(at + EntryLayout.RECORD_LENGTH, used);
        EntryBytes.setHead(
            bytes, at, EntryBytes.inode(bytes, at), used, EntryBytes.nameLength(bytes, at));
        at += used;
        length -= used;
      }
      writeEntry(b, at, length, name, file);
      EntryBytes.setHead(bytes, at, file.number, length, name.length);
    }
    DirectoryIndex index = directory.index;
    if (index != null) {
      long added = (block << geometry.blockShift) + at;
      long before = index.bytes();
      index.add(names.hash(directory.number, name), added);
      index.setRoom((int) block, EntryBytes.largestGap(bytes));
      indexBytes.addAndGet(index.bytes() - before);
    }
    scratch.give(bytes);
  }

  /// Splits a leaf and adds an entry to the half that is moved to a new block.
  private void addToSplit(
      Operation op, Inode directory, HashTreeSplit split, byte[] name, Inode file)
      throws IOException {
    HashTree.Path path = split.path;
    int at = put(split.fresh, split.lastFresh(), name, file);
    int shift = geometry.blockShift;
    long before = path.isNew ? 0 : path.leaf();
    long kept = path.isNew ? append(op, directory, split.kept) >> shift : before;
    long fresh = append(op, directory, split.fresh) >> shift;
    boolean high = split.isFreshHigh();
    insert(op, directory, split, high ? kept : fresh, high ? fresh : kept);
    if (!path.isNew) {
      write(op, directory, kept, split.kept, true);
    }
    directory.flags |= InodeLayout.FLAG_INDEX;
    directory.treeState = HashTree.WHOLE;
    DirectoryIndex index = directory.index;
    if (index != null) {
      long bytes = index.bytes();
      for (int i = 0; i < split.count(); i++) {
        int offset = split.offsetBefore(i);
        int length = EntryBytes.nameLength(split.before, offset);
        int hash = names.hash(directory.number, split.before, offset + EntryLayout.NAME, length);
        long to = ((split.isFresh(i) ? fresh : kept) << shift) + split.offset(i);
        index.move(hash, (before << shift) + offset, to);
      }
      index.add(names.hash(directory.number, name), (fresh << shift) + at);
      index.setRoom((int) kept, EntryBytes.largestGap(split.kept));
      index.setRoom((int) fresh, EntryBytes.largestGap(split.fresh));
      indexBytes.addAndGet(index.bytes() - bytes);
    }
    for (byte[] done : new byte[][] {split.before, split.kept, split.fresh}) {
      scratch.give(done);
    }
    hashTree.give(path);
  }

  /// Replaces the leaf of a path by two leaves. If the lowest node is full, it is split first.
  private void insert(Operation op, Inode directory, HashTreeSplit split, long low, long high)
      throws IOException {
    HashTree.Path path = split.path;
    HashTreeNode node = path.node;
    if (path.lowest().isFull()) {
      HashTreeNode more = HashTreeNode.empty(blocks(directory), geometry.blockBytes);
      append(op, directory, more.bytes());
      if (node == null) {
        path.root.pushDown(more);
        path.node = more;
      } else {
        path.root.insert(node.halve(more), more.logical());
        boolean above = node.at() >= node.count();
        write(op, directory, (above ? node : more).logical(), (above ? node : more).bytes(), false);
        path.node = above ? more : node;
      }
      DirectoryIndex index = directory.index;
      if (index != null) {
        index.setRoom((int) more.logical(), geometry.blockBytes);
      }
      write(op, directory, 0, path.root.bytes(), false);
    }
    HashTreeNode lowest = path.lowest();
    lowest.setBlock(low);
    lowest.insert(split.boundary(), high);
    write(op, directory, lowest.logical(), lowest.bytes(), path.isNew);
  }

  /// Overwrites a block of a directory.
  ///
  /// @param last true if entries are moved from this block to another block, which must reach the
  ///   device first
  private void write(Operation op, Inode directory, long block, byte[] bytes, boolean last)
      throws IOException {
    long number = deviceBlock(directory, block);
    try (Buffer b = last ? op.changeLast(number) : op.change(number)) {
      b.set(0, bytes, 0, bytes.length);
    }
  }

  /// Adds an entry after another entry in a copy of a block.
  ///
  /// @return the offset of the new entry
  private int put(byte[] bytes, int behind, byte[] name, Inode file) {
    int used = EntryLayout.bytes(EntryBytes.nameLength(bytes, behind));
    int length = EntryBytes.recordLength(bytes, behind) - used;
    int at = behind + used;
    EntryBytes.setRecordLength(bytes, behind, used);
    EntryBytes.setHead(bytes, at, file.number, length, name.length);
    bytes[at + EntryLayout.FILE_TYPE] = (byte) entryType(file);
    System.arraycopy(name, 0, bytes, at + EntryLayout.NAME, name.length);
    return at;
  }

  private void writeEntry(Buffer b, int at, int length, byte[] name, Inode file) {
    b.setInt(at + EntryLayout.INODE, (int) file.number);
    b.setShort(at + EntryLayout.RECORD_LENGTH, length);
    b.setByte(at + EntryLayout.NAME_LENGTH, name.length);
    b.setByte(at + EntryLayout.FILE_TYPE, entryType(file));
    b.set(at + EntryLayout.NAME, name, 0, name.length);
  }

  private int entryType(Inode file) {
    return geometry.entryTypes() ? file.kind().entryType() : 0;
  }

  /// Appends a block to a directory.
  ///
  /// @param content the content of the block, or null for an empty block
  /// @return the byte offset of the block in the directory
  private long append(Operation op, Inode directory, byte @Nullable [] content) throws IOException {
    long count = blocks(directory);
    long block = allocator.allocate(op, map.goal(directory, count), 1) & 0xFF_FFFF_FFFFL;
    map.attach(op, directory, count, block, 1);
    try (Buffer b = content == null ? op.create(block) : op.createFirst(block)) {
      if (content == null) {
        b.setShort(EntryLayout.RECORD_LENGTH, geometry.blockBytes);
      } else {
        b.set(0, content, 0, content.length);
      }
    }
    directory.size += geometry.blockBytes;
    return count << geometry.blockShift;
  }

  /// Creates the first block of a new directory. The caller must store the directory's inode.
  void initialize(Operation op, Inode directory, long parent) throws IOException {
    append(op, directory, null);
    try (Buffer b = op.change(deviceBlock(directory, 0))) {
      writeEntry(b, 0, EntryLayout.bytes(1), Names.DOT, directory);
      int second = EntryLayout.bytes(1);
      writeEntry(b, second, geometry.blockBytes - second, Names.DOT_DOT, directory);
      b.setInt(second + EntryLayout.INODE, (int) parent);
    }
  }

  /// Changes an entry so that it refers to another file.
  void replace(Operation op, Inode directory, Entry entry, Inode file) throws IOException {
    int at = (int) entry.position() & (geometry.blockBytes - 1);
    try (Buffer b = op.change(deviceBlock(directory, entry.position() >> geometry.blockShift))) {
      b.setInt(at + EntryLayout.INODE, (int) file.number);
      b.setByte(at + EntryLayout.FILE_TYPE, entryType(file));
    }
  }

  void remove(Operation op, Inode directory, Entry entry, byte[] name) throws IOException {
    long block = entry.position() >> geometry.blockShift;
    int at = (int) entry.position() & (geometry.blockBytes - 1);
    byte[] bytes = readBlock(directory, block, scratch.take());
    int before = -1;
    int scan = 0;
    while (scan < at) {
      before = scan;
      scan += EntryBytes.recordLength(bytes, scan);
    }
    if (scan != at) {
      throw FsException.corrupt(directory.number, -1, "no entry begins at " + entry.position());
    }
    try (Buffer b = op.change(deviceBlock(directory, block))) {
      b.setInt(at + EntryLayout.INODE, 0);
      EntryBytes.setHead(
          bytes, at, 0, EntryBytes.recordLength(bytes, at), EntryBytes.nameLength(bytes, at));
      if (before >= 0) {
        int length = EntryBytes.recordLength(bytes, before) + EntryBytes.recordLength(bytes, at);
        b.setShort(before + EntryLayout.RECORD_LENGTH, length);
        EntryBytes.setHead(
            bytes,
            before,
            EntryBytes.inode(bytes, before),
            length,
            EntryBytes.nameLength(bytes, before));
      }
    }
    DirectoryIndex index = directory.index;
    if (index != null) {
      index.remove(names.hash(directory.number, name), entry.position());
      index.setRoom((int) block, EntryBytes.largestGap(bytes));
    }
    scratch.give(bytes);
  }

  /// Returns true if the directory contains no entries except `.` and `..`.
  boolean isEmpty(Inode directory) throws IOException {
    for (long block = 0; block < blocks(directory); block++) {
      byte[] bytes = readBlock(directory, block);
      for (int at = 0; at < bytes.length; at += EntryBytes.recordLength(bytes, at)) {
        if (EntryBytes.inode(bytes, at) != 0
            && !EntryBytes.isNamed(bytes, at, Names.DOT)
            && !EntryBytes.isNamed(bytes, at, Names.DOT_DOT)) {
          return false;
        }
      }
    }
    return true;
  }
}
