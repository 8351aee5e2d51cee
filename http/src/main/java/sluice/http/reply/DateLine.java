package sluice.http.reply;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import sluice.http.parse.HttpDate;
import sluice.loop.Output;

/// The value of the Date field, formatted once a second. Owned by one loop.
final class DateLine {
  private final MemorySegment text = Arena.ofAuto().allocate(HttpDate.LENGTH);
  private long second = Long.MIN_VALUE;

  /// Updates the text from the clock.
  ///
  /// @param epochMillis wall-clock time
  void update(long epochMillis) {
    long now = Math.floorDiv(epochMillis, 1000L);
    if (now != second) {
      second = now;
      HttpDate.format(now, text, 0);
    }
  }

  /// Returns the time of the text in seconds since the epoch.
  long second() {
    return second;
  }

  void copyTo(MemorySegment target, long at) {
    MemorySegment.copy(text, 0, target, at, HttpDate.LENGTH);
  }

  void putTo(Output out) {
    out.put(text, 0, HttpDate.LENGTH);
  }
}
