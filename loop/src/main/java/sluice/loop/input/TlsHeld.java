package sluice.loop.input;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// The ciphertext that could not be decrypted when it arrived. It is the beginning of a record, or
/// bytes that arrived while tasks were running. Owned by the loop's thread, and charged to the
/// loop's account of partial messages.
public final class TlsHeld {
  /// The length of the longest record accepted by the JDK's engine, for peers that ignore the
  /// limit.
  public static final int LONGEST_RECORD_BYTES = 33_093;

  private static final int HEADER_BYTES = 5;
  private static final int TYPE_FIRST = 20;
  private static final int TYPE_LAST = 23;

  private final PartialMemory memory;
  private final Object owner;
  private @Nullable Block block;
  private int length;

  /// @param owner the owner of the memory, see [PartialMemory#allocate]
  public TlsHeld(PartialMemory memory, Object owner) {
    this.memory = memory;
    this.owner = owner;
  }

  public int length() {
    return length;
  }

  /// Returns the size of the allocated memory.
  public long blockBytes() {
    Block held = block;
    return held == null ? 0 : held.lengthBytes();
  }

  /// Returns true if `source` begins with a complete record, or with bytes that are not a record.
  public static boolean complete(ByteBuffer source) {
    int available = source.remaining();
    return available >= HEADER_BYTES
        && recordBytes(source, source.position(), available) <= available;
  }

  /// Returns the length of the record at `at`, including its header. For bytes that are not a
  /// record, the result is `available`, so that the engine examines them and sends the correct
  /// alert.
  private static int recordBytes(ByteBuffer bytes, int at, int available) {
    int type = bytes.get(at);
    int length = HEADER_BYTES + ((bytes.get(at + 3) & 0xff) << 8) + (bytes.get(at + 4) & 0xff);
    boolean record = type >= TYPE_FIRST && type <= TYPE_LAST && length <= LONGEST_RECORD_BYTES;
    return record ? length : available;
  }

  /// Returns the number of bytes missing from the first record, as far as that is known, or 0 if no
  /// bytes are held.
  public int missing() {
    Block held = block;
    if (held == null) {
      return 0;
    }
    if (length < HEADER_BYTES) {
      return HEADER_BYTES - length;
    }
    return Math.max(0, recordBytes(held.segment().asByteBuffer(), 0, length) - length);
  }

  /// Appends a copy of bytes.
  ///
  /// @return false if the loop's account does not have enough room, in which case no bytes were
  ///   appended
  public boolean add(MemorySegment from, long offset, int count) {
    int need = length + count;
    Block held = block;
    if (held == null || held.lengthBytes() < need) {
      int first = held == null && count >= HEADER_BYTES ? whole(from, offset, count) : 0;
      Block grown = memory.allocate(owner, Math.max(need, first));
      if (grown == null) {
        return false;
      }
      if (held != null) {
        MemorySegment.copy(held.segment(), 0, grown.segment(), 0, length);
        held.release();
      }
      block = grown;
      held = grown;
    }
    MemorySegment.copy(from, offset, held.segment(), length, count);
    length = need;
    return true;
  }

  private static int whole(MemorySegment from, long offset, int count) {
    return recordBytes(from.asSlice(offset, count).asByteBuffer(), 0, count);
  }

  /// Returns the held bytes with their lease and removes them. [#length] must be read before.
  public @Nullable Block take() {
    Block taken = block;
    block = null;
    length = 0;
    return taken;
  }

  public void release() {
    Block taken = take();
    if (taken != null) {
      taken.release();
    }
  }
}
