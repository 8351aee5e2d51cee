package sluice.fs.ext2;

import java.io.IOException;
import java.util.function.LongConsumer;
import sluice.fs.FsException;
import sluice.fs.block.Buffer;
import sluice.fs.ext2.layout.Geometry;
import sluice.fs.ext2.layout.InodeLayout;

/// Maps the blocks of a file to blocks of the device, using twelve direct blocks and up to three
/// levels of indirect blocks. Callers must hold the lock of the inode, and must hold the write lock
/// for changes.
///
/// The design follows Card, Ts'o, Tweedie, "Design and Implementation of the Second Extended
/// Filesystem", 1994.
final class BlockMap {
  private static final int DIRECT = InodeLayout.DIRECT_BLOCKS;
  private static final int LEVELS = 3;

  /// The maximum number of additional metadata blocks that have to be changed in order to free one
  /// more block.
  static final int ROOM_TO_FREE = 12;

  private final Volume volume;
  private final Geometry geometry;
  private final BlockAllocator allocator;
  private final MapPages pages;

  /// The base-2 logarithm of the number of pointers per block.
  private final int shift;

  private final int sectorsPerBlock;

  BlockMap(Volume volume, BlockAllocator allocator, int rememberedPages) {
    this.volume = volume;
    this.allocator = allocator;
    geometry = volume.geometry;
    pages = new MapPages(rememberedPages);
    shift = geometry.blockShift - 2;
    sectorsPerBlock = geometry.blockBytes >> 9;
  }

  // ---- looking up -------------------------------------------------------------------------------

  /// Returns the device block for the given block of a file if it is available without reading from
  /// the device. This method is intended for readers that do not hold a lock and validate the
  /// result afterwards.
  ///
  /// @return the device block, 0 for a hole, [MapPages#UNKNOWN], or a block number beyond the end
  ///   of any device if one of the direct blocks of the file is damaged
  long cachedBlock(Inode inode, long logical) {
    return logical < DIRECT
        ? inode.trusted[(int) logical] & 0xFFFF_FFFFL
        : pages.find(inode, logical - DIRECT);
  }

  /// Returns the number of blocks of a file that are contiguous on the device, as far as this can
  /// be determined by a single lookup without reading. This method is intended for readers that do
  /// not hold a lock and validate the result afterwards.
  ///
  /// @param block the device block of the first block
  /// @param last the last block of the file to consider
  int cachedRun(Inode inode, long logical, long block, long last) {
    if (logical >= DIRECT) {
      return pages.run(inode, logical - DIRECT, block, last - DIRECT);
    }
    int end = (int) Math.min(last, DIRECT - 1);
    int[] blocks = inode.trusted;
    int run = 1;
    while (logical + run <= end && (blocks[(int) logical + run] & 0xFFFF_FFFFL) == block + run) {
      run++;
    }
    return run;
  }

  /// Returns the length in blocks of the hole that begins at the given block of a file, which must
  /// itself be part of a hole.
  ///
  /// @param most the maximum result; all of the blocks must belong to the same indirect block
  int holes(Inode inode, long logical, int most) throws IOException {
    if (logical >= DIRECT) {
      int known = pages.holes(inode, logical - DIRECT, most);
      if (known > 0) {
        return known;
      }
    }
    int run = 1;
    while (run < most && map(inode, logical + run) == 0) {
      run++;
    }
    return run;
  }

  /// Returns the device block for the given block of a file, or 0 for a hole. Pointers are
  /// validated when they are read from the device: direct pointers together with their inode, and
  /// indirect pointers together with their page. If an inode or a page contains an invalid pointer,
  /// each of its pointers is validated on every use instead.
  ///
  /// @throws FsException `EUCLEAN` if the pointer does not refer to a block that may contain
  ///   content
  long map(Inode inode, long logical) throws IOException {
    if (logical < DIRECT) {
      long block = inode.block[(int) logical] & 0xFFFF_FFFFL;
      boolean checked = inode.trusted == inode.block || block == 0;
      return checked ? block : volume.checkBlock(inode.number, block);
    }
    long block = pages.find(inode, logical - DIRECT);
    if (block != MapPages.UNKNOWN) {
      return block;
    }
    fillPage(inode, (logical - DIRECT) >>> MapPages.SHIFT);
    block = pages.find(inode, logical - DIRECT);
    if (block != MapPages.UNKNOWN) {
      return block;
    }
    block = pointer(inode, leaf(inode, logical), slot(logical));
    return block == 0 ? 0 : volume.checkBlock(inode.number, block);
  }

  /// Caches a page if all of its pointers are valid. Otherwise each pointer is validated when it is
  /// followed, so that a single invalid pointer does not make the other blocks of the page
  /// unreadable.
  private void fillPage(Inode inode, long page) throws IOException {
    long first = DIRECT + (page << MapPages.SHIFT);
    int[] blocks = new int[MapPages.BLOCKS];
    long leaf = leaf(inode, first);
    if (leaf != 0) {
      try (Buffer buffer = volume.cache.read(leaf)) {
        buffer.getInts(slot(first) << 2, blocks);
      }
    }
    for (int block : blocks) {
      if (block != 0 && !volume.isContent(block & 0xFFFF_FFFFL)) {
        return;
      }
    }
    pages.put(inode, page, blocks);
  }

  /// Returns the number of levels of indirect blocks above the given block, which is not a direct
  /// block.
  private int level(long logical) {
    long index = logical - DIRECT;
    for (int level = 1; level <= LEVELS; level++) {
      if (index < 1L << (shift * level)) {
        return level;
      }
      index -= 1L << (shift * level);
    }
    throw new IllegalArgumentException("block " + logical + " is beyond the longest file");
  }

  private long firstOfLevel(int level) {
    long first = DIRECT;
    for (int i = 1; i < level; i++) {
      first += 1L << (shift * i);
    }
    return first;
  }

  private int slot(long logical) {
    return (int) (logical - firstOfLevel(level(logical))) & ((1 << shift) - 1);
  }

  private int slotAt(long offset, int depth) {
    return (int) (offset >>> (shift * (depth - 1))) & ((1 << shift) - 1);
  }

  private long pointer(Inode inode, long block, int slot) throws IOException {
    if (block == 0) {
      return 0;
    }
    volume.checkBlock(inode.number, block);
    try (Buffer buffer = volume.cache.read(block)) {
      return buffer.getUnsignedInt(slot << 2);
    }
  }

  private long root(Inode inode, int level) {
    return inode.block[DIRECT + level - 1] & 0xFFFF_FFFFL;
  }

  /// Returns the indirect block whose entries point to content, or 0 if it does not exist.
  private long leaf(Inode inode, long logical) throws IOException {
    int level = level(logical);
    long offset = logical - firstOfLevel(level);
    long block = root(inode, level);
    for (int depth = level; depth > 1 && block != 0; depth--) {
      block = pointer(inode, block, slotAt(offset, depth));
    }
    return block == 0 ? 0 : volume.checkBlock(inode.number, block);
  }

  /// Passes each indirect block on the path to the given block of a file to a consumer.
  void pointersTo(Inode inode, long logical, LongConsumer sink) throws IOException {
    int level = level(logical);
    long offset = logical - firstOfLevel(level);
    long block = root(inode, level);
    for (int depth = level; block != 0; depth--) {
      sink.accept(block);
      block = depth > 1 ? pointer(inode, block, slotAt(offset, depth)) : 0;
    }
  }

  /// Returns the number of indirect blocks that must be created before the given block can be
  /// attached.
  int missingPointers(Inode inode, long logical) throws IOException {
    if (logical < DIRECT) {
      return 0;
    }
    int level = level(logical);
    long offset = logical - firstOfLevel(level);
    long block = root(inode, level);
    int depth = level;
    while (block != 0 && depth > 1) {
      block = pointer(inode, block, slotAt(offset, depth));
      depth--;
    }
    return block == 0 ? depth : 0;
  }

  /// Returns the number of blocks, beginning with the given one, that belong to the same
  /// lowest-level indirect block.
  int sameLeaf(long logical) {
    return logical < DIRECT ? (int) (DIRECT - logical) : (1 << shift) - slot(logical);
  }

  /// Returns the first mapped block at or after `logical`, or `end` if there is none.
  long nextData(Inode inode, long logical, long end) throws IOException {
    long at = logical;
    while (at < end && map(inode, at) == 0) {
      at = at < DIRECT ? at + 1 : afterHole(inode, at);
    }
    return Math.min(at, end);
  }

  private long afterHole(Inode inode, long logical) throws IOException {
    int level = level(logical);
    long first = firstOfLevel(level);
    long offset = logical - first;
    long block = root(inode, level);
    int depth = level;
    while (block != 0 && depth > 1) {
      block = pointer(inode, block, slotAt(offset, depth));
      depth--;
    }
    if (block != 0) {
      return logical + 1;
    }
    long span = 1L << (shift * depth);
    return first + (offset & -span) + span;
  }

  /// Returns the first block at or after `logical` that is part of a hole, or `end` if there is
  /// none.
  long nextHole(Inode inode, long logical, long end) throws IOException {
    long at = logical;
    while (at < end && map(inode, at) != 0) {
      at++;
    }
    return at;
  }

  // ---- attaching --------------------------------------------------------------------------------

  /// Returns the preferred device block for the next block of a file.
  long goal(Inode inode, long logical) throws IOException {
    long before = logical == 0 ? 0 : map(inode, logical - 1);
    if (before != 0) {
      return before + 1;
    }
    return inode.goal != 0 ? inode.goal : allocator.goal(geometry.groupOfInode(inode.number));
  }

  /// Attaches blocks in place of a hole. All of the blocks must belong to the same indirect block.
  /// The caller must have reserved the indirect blocks that have to be created.
  void attach(Operation op, Inode inode, long logical, long block, int count) throws IOException {
    if (logical < DIRECT) {
      for (int i = 0; i < count; i++) {
        inode.block[(int) logical + i] = (int) (block + i);
      }
    } else {
      long leaf = makePath(op, inode, logical, block + count);
      int slot = slot(logical);
      try (Buffer buffer = op.change(leaf)) {
        for (int i = 0; i < count; i++) {
          buffer.setInt((slot + i) << 2, (int) (block + i));
        }
      }
      pages.set(inode, logical - DIRECT, block, count);
    }
    inode.goal = block + count;
    inode.sectors += (long) count * sectorsPerBlock;
  }

  private long makePath(Operation op, Inode inode, long logical, long goal) throws IOException {
    int level = level(logical);
    long offset = logical - firstOfLevel(level);
    long block = root(inode, level);
    if (block == 0) {
      block = makePointers(op, inode, goal);
      inode.block[DIRECT + level - 1] = (int) block;
    }
    for (int depth = level; depth > 1; depth--) {
      int slot = slotAt(offset, depth);
      long below = pointer(inode, block, slot);
      if (below == 0) {
        below = makePointers(op, inode, goal);
        try (Buffer buffer = op.change(block)) {
          buffer.setInt(slot << 2, (int) below);
        }
      }
      block = below;
    }
    return volume.checkBlock(inode.number, block);
  }

  private long makePointers(Operation op, Inode inode, long goal) throws IOException {
    long block = allocator.allocate(op, goal, 1) & 0xFF_FFFF_FFFFL;
    op.create(block).close();
    inode.sectors += sectorsPerBlock;
    return block;
  }

  // ---- freeing ----------------------------------------------------------------------------------

  /// Frees the mapped blocks in the range `[from, to)` in descending order, until the operation has
  /// no room for further metadata blocks.
  ///
  /// @return the first block of the range that was freed, which is `from` if the whole range was
  ///   freed
  long free(Operation op, Inode inode, long from, long to) throws IOException {
    Freeing freeing = new Freeing(op, inode, from, to);
    for (int level = LEVELS; level >= 1 && !freeing.stopped; level--) {
      long first = firstOfLevel(level);
      long root = root(inode, level);
      if (root != 0 && freeing.touches(first, 1L << (shift * level))) {
        if (freeTree(freeing, volume.checkBlock(inode.number, root), level, first)) {
          inode.block[DIRECT + level - 1] = 0;
        }
      }
    }
    for (int i = DIRECT - 1; i >= 0 && !freeing.stopped; i--) {
      if (inode.block[i] != 0 && freeing.touches(i, 1) && freeing.room()) {
        freeing.freeContent(inode.block[i] & 0xFFFF_FFFFL, i);
        inode.block[i] = 0;
      }
    }
    freeing.flush();
    inode.goal = 0;
    inode.forgetMap();
    return freeing.stopped ? freeing.reached : from;
  }

  /// Frees a subtree. Returns true if the whole subtree was freed, including its own block.
  private boolean freeTree(Freeing freeing, long block, int level, long first) throws IOException {
    int[] entries = new int[1 << shift];
    try (Buffer buffer = volume.cache.read(block)) {
      buffer.getInts(0, entries);
    }
    long span = 1L << (shift * (level - 1));
    boolean changed = false;
    boolean kept = false;
    for (int i = entries.length - 1; i >= 0; i--) {
      long at = first + i * span;
      if (entries[i] == 0) {
        continue;
      }
      long below = entries[i] & 0xFFFF_FFFFL;
      boolean gone = false;
      if (!freeing.stopped && freeing.touches(at, span) && freeing.room()) {
        volume.checkBlock(freeing.inode.number, below);
        if (level == 1) {
          freeing.freeContent(below, at);
          gone = true;
        } else {
          gone = freeTree(freeing, below, level - 1, at);
        }
      }
      if (gone) {
        entries[i] = 0;
        changed = true;
      } else {
        kept = true;
      }
    }
    if (!kept) {
      freeing.freePointers(block);
      return true;
    }
    if (changed) {
      try (Buffer buffer = freeing.op.change(block)) {
        for (int i = 0; i < entries.length; i++) {
          buffer.setInt(i << 2, entries[i]);
        }
      }
    }
    return false;
  }

  /// The state of one call of [#free]. It collects adjacent blocks, so that each bitmap is changed
  /// only once.
  private final class Freeing {
    final Operation op;
    final Inode inode;
    private final long from;
    private final long to;
    private long runStart;
    private int runCount;

    /// The first block of the collected content that still has to be removed from the cache.
    private long contentStart;

    private int contentCount;
    boolean stopped;
    long reached;

    Freeing(Operation op, Inode inode, long from, long to) {
      this.op = op;
      this.inode = inode;
      this.from = from;
      this.to = to;
      reached = to;
    }

    boolean touches(long first, long count) {
      return first + count > from && first < to;
    }

    boolean room() {
      stopped |= op.room() < ROOM_TO_FREE;
      return !stopped;
    }

    void freeContent(long block, long logical) throws IOException {
      volume.checkBlock(inode.number, block);
      op.begin();
      if (contentCount == 0 || block != contentStart - 1) {
        forgetContent();
        contentStart = block + 1;
      }
      contentStart--;
      contentCount++;
      add(block);
      reached = logical;
    }

    private void forgetContent() throws IOException {
      if (contentCount > 0) {
        int count = contentCount;
        contentCount = 0;
        op.forgetContent(inode, contentStart, count);
      }
    }

    void freePointers(long block) throws IOException {
      op.forget(block);
      add(block);
    }

    private void add(long block) throws IOException {
      inode.sectors = Math.max(0, inode.sectors - sectorsPerBlock);
      boolean before = runCount > 0 && block == runStart - 1;
      boolean behind = runCount > 0 && block == runStart + runCount;
      if ((before || behind) && geometry.groupOfBlock(runStart) == geometry.groupOfBlock(block)) {
        runStart = before ? block : runStart;
        runCount++;
        return;
      }
      flush();
      runStart = block;
      runCount = 1;
    }

    void flush() throws IOException {
      forgetContent(); // before the blocks can belong to another file
      if (runCount > 0) {
        int count = runCount;
        runCount = 0;
        allocator.free(op, inode.number, runStart, count);
      }
    }
  }
}
