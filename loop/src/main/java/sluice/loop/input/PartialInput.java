package sluice.loop.input;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// The input that a protocol has not consumed, copied from the arena to a block of the loop's
/// budget. Owned by the loop's thread.
///
/// Output may lease the block. From then on the block is an immutable snapshot, and added or
/// remaining bytes are moved to a separate block.
public final class PartialInput {
  private final PartialMemory memory;
  private final Object owner;
  private @Nullable Block block;
  private int length;

  /// @param owner the owner of the memory, see [PartialMemory#allocate]
  public PartialInput(PartialMemory memory, Object owner) {
    this.memory = memory;
    this.owner = owner;
  }

  public int length() {
    return length;
  }

  /// Returns the block that contains the bytes, or null if there are none.
  public @Nullable Block block() {
    return block;
  }

  public long blockBytes() {
    Block held = block;
    return held == null ? 0 : held.lengthBytes();
  }

  /// Appends a copy of bytes.
  ///
  /// @return false if the loop's budget does not have enough room
  public boolean append(MemorySegment source, long offset, int count) {
    int need = length + count;
    Block target = block;
    if (target == null || target.lengthBytes() < need || target.leases() > 1) {
      Block grown = memory.allocate(owner, need);
      if (grown == null) {
        return false;
      }
      if (target != null) {
        MemorySegment.copy(target.segment(), 0, grown.segment(), 0, length);
        target.release();
      }
      block = grown;
      target = grown;
    }
    MemorySegment.copy(source, offset, target.segment(), length, count);
    length = need;
    return true;
  }

  /// Removes the first `used` bytes, which must be fewer than all bytes.
  ///
  /// @return false if the loop's budget does not have enough room for a copy of the remaining bytes
  public boolean consume(int used) {
    Block before = block;
    if (used == 0 || before == null) {
      return true;
    }
    int left = length - used;
    if (before.leases() == 1) {
      MemorySegment.copy(before.segment(), used, before.segment(), 0, left);
      length = left;
      return true;
    }
    block = null;
    length = 0;
    boolean kept = append(before.segment(), used, left);
    before.release();
    return kept;
  }

  public void drop() {
    Block held = block;
    if (held != null) {
      block = null;
      length = 0;
      held.release();
    }
  }
}
