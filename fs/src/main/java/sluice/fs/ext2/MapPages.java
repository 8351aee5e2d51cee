package sluice.fs.ext2;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// Remembers where the content of files is, 256 blocks at a time, so that reading goes without a
/// look into blocks of pointers. Any thread may read; a thread that changes a page holds its
/// inode's lock.
///
/// It is a table with one place per page, of fixed size: a page that is displaced is read again.
/// The pages of a file follow each other there. A page is void when its inode's [Inode#mapEpoch]
/// has moved on.
final class MapPages {
  static final int SHIFT = 8;
  static final int BLOCKS = 1 << SHIFT;

  /// Not remembered.
  static final long UNKNOWN = -1;

  private static final VarHandle PAGE = MethodHandles.arrayElementVarHandle(Page[].class);

  private final @Nullable Page[] pages;

  /// Of the blocks behind the direct ones. What it holds is written under the inode's write lock.
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Page(Inode inode, int epoch, long number, int[] blocks) {}

  /// @param count places, a power of two
  MapPages(int count) {
    pages = new @Nullable Page[count];
  }

  private int place(Inode inode, long page) {
    return (inode.mapPlace + (int) page) & (pages.length - 1);
  }

  /// @param index of a block behind the direct ones
  /// @return its number, 0 for a hole, or [#UNKNOWN]
  long find(Inode inode, long index) {
    Page page = page(inode, index >>> SHIFT);
    return page == null ? UNKNOWN : page.blocks[(int) index & (BLOCKS - 1)] & 0xFFFF_FFFFL;
  }

  /// How many blocks of a page follow each other on the device.
  ///
  /// @param block the number of the first of them
  /// @param last index of the last one of interest
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

  /// How many blocks of a page are holes, from one on; 0 when the page is not remembered.
  ///
  /// @param most how many are of interest
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

  /// Blocks that follow each other on the device were attached, under the inode's write lock.
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
