package sluice.fs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;

/// A device that records every write and flush, so that the states that a crash could leave can be
/// reconstructed. Safe for use by any thread.
///
/// A flush makes durable the writes that ended before it began, and none that arrived while it ran.
public final class RecordingDevice extends DeviceOverDevice {
  private static final int SECTOR_BYTES = 512;

  /// A write, or a flush if `bytes` is empty. The position of a flush is the number of events that
  /// it makes durable.
  @SuppressWarnings("ArrayRecordComponent") // the bytes are never modified
  record Event(long position, byte[] bytes) {
    boolean flush() {
      return bytes.length == 0;
    }
  }

  private static final byte[] NOTHING = {};

  /// True if a write that no flush has followed may have been stored in part.
  public boolean tears = true;

  private final List<Event> events = new ArrayList<>();

  public RecordingDevice(BlockDevice device) {
    super(device);
  }

  public synchronized int events() {
    return events.size();
  }

  /// Returns the number of events before the first flush from `from` on, at most `most`. At this
  /// moment a crash can lose the most.
  synchronized int beforeFlush(int from, int most) {
    int count = from;
    while (count < most && !events.get(count).flush()) {
      count++;
    }
    return count;
  }

  /// Applies the events that are certainly stored after `count` events: all that a flush has
  /// followed.
  ///
  /// @param from the index of the first event that the target lacks
  /// @return the index of the first event that is not applied
  public synchronized int applyFlushed(int from, int count, BlockDevice target) throws IOException {
    int end = from;
    for (int i = from; i < count; i++) {
      if (events.get(i).flush()) {
        end = Math.max(end, (int) events.get(i).position);
      }
    }
    while (end < count && events.get(end).flush()) {
      end++;
    }
    for (int i = from; i < end; i++) {
      apply(events.get(i), target, null);
    }
    return end;
  }

  /// Applies a random part, sector by sector, of the events from `from` on, which may or may not
  /// have been stored.
  public synchronized void applySome(int from, int count, Random random, BlockDevice target)
      throws IOException {
    int share = random.nextInt(5); // none, some or all
    for (int i = from; i < count; i++) {
      if (share == 4 || random.nextInt(4) < share) {
        apply(events.get(i), target, tears && random.nextInt(8) == 0 ? random : null);
      }
    }
  }

  private static void apply(Event event, BlockDevice target, @Nullable Random torn)
      throws IOException {
    if (event.flush()) {
      return;
    }
    Block block = Blocks.of(event.bytes.length);
    MemorySegment.copy(
        event.bytes, 0, block.segment(), ValueLayout.JAVA_BYTE, 0, event.bytes.length);
    if (torn == null) {
      target.write(event.position, block, 0, event.bytes.length);
    } else {
      for (int at = 0; at < event.bytes.length; at += SECTOR_BYTES) {
        if (torn.nextBoolean()) {
          target.write(event.position + at, block, at, SECTOR_BYTES);
        }
      }
    }
    block.release();
  }

  @Override
  public void write(long position, Block from, long offset, int bytes) throws IOException {
    super.write(position, from, offset, bytes);
    byte[] copy = from.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    synchronized (this) {
      if (bytes > 0) {
        events.add(new Event(position, copy));
      }
    }
  }

  @Override
  public void flush() throws IOException {
    int before = events();
    super.flush();
    synchronized (this) {
      events.add(new Event(before, NOTHING));
    }
  }
}
