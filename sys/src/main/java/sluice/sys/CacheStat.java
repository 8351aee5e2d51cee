package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;

/// The structure `struct cachestat`, which describes how much of a file range is in the page cache.
/// It is filled by [Files#cachestat].
///
/// An instance may be used by only one thread at a time.
///
/// ```c
/// struct cachestat_range { __u64 off; __u64 len; };
/// struct cachestat { __u64 nr_cache; __u64 nr_dirty; __u64 nr_writeback; __u64 nr_evicted;
///                    __u64 nr_recently_evicted; };
/// ```
public final class CacheStat {
  static final Layout RANGE_LAYOUT = Layout.of("struct cachestat_range");
  static final int OFF = RANGE_LAYOUT.u64("off");
  static final int LEN = RANGE_LAYOUT.u64("len");

  static final Layout LAYOUT = Layout.of("struct cachestat");
  static final int NR_CACHE = LAYOUT.u64("nr_cache");
  static final int NR_DIRTY = LAYOUT.u64("nr_dirty");
  static final int NR_WRITEBACK = LAYOUT.u64("nr_writeback");
  static final int NR_EVICTED = LAYOUT.u64("nr_evicted");
  static final int NR_RECENTLY_EVICTED = LAYOUT.u64("nr_recently_evicted");

  private final MemorySegment range = Arena.ofAuto().allocate(RANGE_LAYOUT.sizeBytes(), Long.BYTES);
  private final MemorySegment segment = Arena.ofAuto().allocate(LAYOUT.sizeBytes(), Long.BYTES);

  /// Sets the range of the query.
  MemorySegment range(long offset, long length) {
    range.set(JAVA_LONG, OFF, offset);
    range.set(JAVA_LONG, LEN, length);
    return range;
  }

  MemorySegment segment() {
    return segment;
  }

  /// Returns the number of pages in the range that are cached.
  public long cached() {
    return segment.get(JAVA_LONG, NR_CACHE);
  }

  /// Returns the number of pages in the range that were modified and have not been written yet.
  public long dirty() {
    return segment.get(JAVA_LONG, NR_DIRTY);
  }
}
