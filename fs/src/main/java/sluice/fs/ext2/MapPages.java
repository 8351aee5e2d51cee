package sluice.fs.ext2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A cache of block maps in pages of 256 blocks, so that files can be read without reading indirect
/// blocks. Any thread may read the cache. A thread that changes a page must hold the lock of its
/// inode.
///
/// The cache is a table of fixed size that has one slot per page. If a page is evicted, it is read
/// again when it is needed. The pages of a file occupy consecutive slots. A page is invalid if
/// [Inode#mapEpoch] has changed since it was cached.
final class MapPages {
  static final int SHIFT = 8;
  static final int BLOCKS = 1 << SHIFT;

  /// The result of a lookup for a block that is not cached.
  static final long UNKNOWN = -1;

  private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(Page[].class);

  private final @Nullable Page[] pages;

  /// A page of the blocks that follow the direct blocks. Its array is written under the write lock
  /// of the inode.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Page(Inode inode, int epoch, long number, int[] blocks) {}

  /// Creates an empty cache.
  ///
  /// @param count the number of slots, which must be a power of two
  MapPages(int count) {
    pages = new @Nullable Page[count];
  }

  private int place(Inode inode, long page) {
    return (inode.mapPlace + (int) page) & (pages.length - 1);
  }

  /// Returns the device block for the given block of a file.
  ///
  /// @param index the index of the block, counted from the first block that is not a direct block
  /// @return the block number, 0 for a hole, or [#UNKNOWN] if the block is not cached
  long find(Inode inode, long index) {
    Page page = page(inode, index >>> SHIFT);
    return page == null ? UNKNOWN : page.blocks[(int) index & (BLOCKS - 1)] & 0xFFFF_FFFFL;
  }

  /// Returns the number of blocks within a single page that are contiguous on the device.
  ///
  /// @param block the device block of the first block
  /// @param last the index of the last block to consider
  int run(Inode inode, long index, long block, long last) {
    Page page = page(inode, index >>> SHIFT);
    int first = (int) index & (BLOCKS - 1);
    int most = (int) Math.min(last - index + 1, BLOCKS - first);
    int run = 1;
    while (page != null && run < most && (page.blocks[first + run] & 0xFFFF_FFFFL) == block + run) {
      run++;
    }
    return run;
  }

  private @Nullable Page page(Inode inode, long number) {
    @Nullable Page page = (Page) PAGE.getAcquire(pages, place(inode, number));
    return page != null
            && page.inode == inode
            && page.number == number
            && page.epoch == inode.mapEpoch
        ? page
        : null;
  }

  void put(Inode inode, long number, int[] blocks) {
    PAGE.setRelease(pages, place(inode, number), new Page(inode, inode.mapEpoch, number, blocks));
  }

  /// Returns the length of the hole that begins at the given index within a single page, or 0 if
  /// the page is not cached.
  ///
  /// @param most the maximum result
  int holes(Inode inode, long index, int most) {
    Page page = page(inode, index >>> SHIFT);
    if (page == null) {
      return 0;
    }
    int first = (int) index & (BLOCKS - 1);
    int end = Math.min(first + most, BLOCKS);
    int at = first;
    while (at < end && page.blocks[at] == 0) {
      at++;
    }
    return at - first;
  }

  /// Updates the cached pages after a run of contiguous blocks has been attached. The caller must
  /// hold the write lock of the inode.
  void set(Inode inode, long index, long block, int count) {
    int done = 0;
    while (done < count) {
      Page page = page(inode, (index + done) >>> SHIFT);
      int first = (int) (index + done) & (BLOCKS - 1);
      int some = Math.min(count - done, BLOCKS - first);
      for (int i = 0; page != null && i < some; i++) {
        page.blocks[first + i] = (int) (block + done + i);
      }
      done += some;
    }
  }
}
