package sluice.fs.ext2.layout;

import java.util.Arrays;

/// A set of block numbers that is stored as runs of contiguous blocks. Instances are immutable and
/// thread-safe.
public final class BlockRuns {
  public static final BlockRuns NONE = new BlockRuns(new long[0]);

  /// The result of a search that did not find a block.
  public static final long NOWHERE = -1;

  /// The first block of each run, in ascending order.
  private final long[] starts;

  /// The block after the last block of each run.
  private final long[] ends;

  /// Creates a set.
  ///
  /// @param blocks the block numbers in any order, which may contain duplicates; the array is
  ///   sorted by this constructor
  public BlockRuns(long[] blocks) {
    Arrays.sort(blocks);
    int count = 0;
    for (int i = 0; i < blocks.length; i++) {
      count += i == 0 || blocks[i] > blocks[i - 1] + 1 ? 1 : 0;
    }
    starts = new long[count];
    ends = new long[count];
    int runs = 0;
    for (long block : blocks) {
      if (runs == 0 || block > ends[runs - 1]) {
        starts[runs++] = block;
      }
      ends[runs - 1] = block + 1;
    }
  }

  public boolean contains(long block) {
    return firstIn(block, block + 1) != NOWHERE;
  }

  /// Returns the first block of the set in the range `[from, to)`, or [#NOWHERE] if there is none.
  public long firstIn(long from, long to) {
    if (starts.length == 0 || to <= starts[0] || from >= ends[ends.length - 1]) {
      return NOWHERE;
    }
    int at = Arrays.binarySearch(starts, from);
    int run = at >= 0 ? at : -at - 2; // the last run that begins at or before it
    if (run >= 0 && from < ends[run]) {
      return from;
    }
    return run + 1 < starts.length && starts[run + 1] < to ? starts[run + 1] : NOWHERE;
  }
}
