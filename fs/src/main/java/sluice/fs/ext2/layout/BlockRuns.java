package sluice.fs.ext2.layout;

import java.util.Arrays;

/// A set of block numbers, stored as runs of contiguous blocks. Immutable and safe for use by any
/// thread.
public final class BlockRuns {
  public static final BlockRuns NONE = new BlockRuns(new long[0]);

  /// The result of a search that found no block.
  public static final long NOWHERE = -1;

  /// The first block of each run, ascending.
  private final long[] starts;

  /// The block behind each run.
  private final long[] ends;

  /// Creates a set.
  ///
  /// @param blocks the numbers in any order, with or without duplicates; this constructor sorts the
  ///   array
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

  /// Returns the first block of the set in `[from, to)`, or [#NOWHERE].
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
