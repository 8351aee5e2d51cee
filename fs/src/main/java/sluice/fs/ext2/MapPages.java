package sluice.fs.ext2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// A cache of block maps, in pages of 256 blocks, so that reading a file needs no indirect blocks.
/// Any thread may read; a thread that changes a page holds its inode's lock.
///
/// The cache is a table of fixed size with one slot per page; a page that is displaced is read
/// again. The pages of one file occupy consecutive slots. A page is invalid if its inode's
/// [Inode#mapEpoch] has changed since.
final class MapPages {
  static final int SHIFT = 8;
  static final int BLOCKS = 1 << SHIFT;

  /// The result for a block that is not cached.
  static final long UNKNOWN = -1;

  private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(Page[].class);

  private final @Nullable Page[] pages;

  /// A page of the blocks behind the direct ones. Its array is written under the inode's write
  /// lock.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Page(Inode inode, int epoch, long number, int[] blocks) {}

  /// Creates an empty cache.
  ///
  /// @param count the number of slots, a power of two
  MapPages(int count) {
    pages = new @Nullable Page[count];
  }

  private int place(Inode inode, long page) {
    return (inode.mapPlace + (int) page) & (pages.length - 1);
  }

  /// Returns the device block of a block of a file.
  ///
  /// @param index the index of the block, counted from the first block that is not a direct one
  /// @return the block number, 0 for a hole, or [#UNKNOWN]
  long find(Inode inode, long index) {
    Page page = page(inode, index >>> SHIFT);
    return page == null ? UNKNOWN : page.blocks[(int) index & (BLOCKS - 1)] & 0xFFFF_FFFFL;
  }

  /// Returns the number of blocks, within one page, that are contiguous on the device.
  ///
  /// @param block the device block of the first one
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

  /// Returns the length of the hole that begins at an index, within one page; 0 if the page is not
  /// cached.
  ///
  /// @param most the largest result
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

  /// Updates cached pages after a run of contiguous blocks was attached, under the inode's write
  /// lock.
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
