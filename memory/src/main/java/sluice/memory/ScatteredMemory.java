package sluice.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.memory.block.Block;

/// A memory that presents several memories as one contiguous memory. This class is thread-safe, and
/// all of its fields are final.
///
/// A scattered memory is a part of each of the underlying memories and holds no leases of its own,
/// so a range becomes inaccessible when the owner of the underlying memory revokes it. An access
/// locates the underlying memory by binary search.
final class ScatteredMemory extends Memory {
  private static final int MOST_PIECES = 1024;

  private final Memory[] pieces;

  /// The offset at which each of the underlying memories begins.
  private final long[] starts;

  private final long length;
  private final boolean readOnly;

  /// True if the underlying memories were lent exclusively to this memory, which is therefore
  /// allowed to close them.
  private final boolean lent;

  private ScatteredMemory(List<Memory> pieces, boolean readOnly) {
    this(pieces, readOnly, false);
  }

  private ScatteredMemory(List<Memory> pieces, boolean readOnly, boolean lent) {
    this.lent = lent;
    this.pieces = pieces.toArray(Memory[]::new);
    this.starts = new long[pieces.size()];
    this.readOnly = readOnly;
    long at = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = at;
      at = Math.addExact(at, this.pieces[i].lengthBytes());
    }
    this.length = at;
  }

  static Memory of(List<Memory> pieces) {
    List<Memory> flat = new ArrayList<>();
    boolean readOnly = false;
    for (Memory piece : pieces) {
      readOnly |= piece.isReadOnly();
      if (piece instanceof ScatteredMemory several) {
        flat.addAll(Arrays.asList(several.pieces));
      } else if (piece.lengthBytes() > 0) {
        flat.add(piece);
      }
    }
    if (flat.isEmpty() || flat.size() > MOST_PIECES) {
      throw new IllegalArgumentException(
          "scattered memory has 1 to "
              + MOST_PIECES
              + " pieces that are not empty, not "
              + flat.size());
    }
    if (readOnly) {
      flat.replaceAll(piece -> piece.isReadOnly() ? piece : piece.asReadOnly());
    }
    return new ScatteredMemory(flat, readOnly);
  }

  @Override
  public long lengthBytes() {
    return length;
  }

  @Override
  public boolean isReadOnly() {
    return readOnly;
  }

  @Override
  public boolean isLive() {
    for (Memory piece : pieces) {
      if (!piece.isLive()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Memory slice(long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, length);
    if (bytes == 0) {
      return pieces[0].slice(0, 0);
    }
    List<Memory> within = new ArrayList<>();
    long end = offset + bytes;
    for (int i = piece(offset); i < pieces.length && starts[i] < end; i++) {
      long from = Math.max(offset - starts[i], 0);
      long to = Math.min(end - starts[i], pieces[i].lengthBytes());
      within.add(pieces[i].slice(from, to - from));
    }
    return within.size() == 1 ? within.getFirst() : new ScatteredMemory(within, readOnly);
  }

  @Override
  public Memory lendPart(long offset, long bytes) {
    Memory part = slice(offset, bytes);
    if (!(part instanceof ScatteredMemory several)) {
      return part.lendPart(0, bytes);
    }
    List<Memory> loans = new ArrayList<>();
    try {
      for (Memory piece : several.pieces) {
        loans.add(piece.lendPart(0, piece.lengthBytes()));
      }
    } catch (IllegalStateException e) {
      loans.forEach(Memory::close);
      throw e;
    }
    return new ScatteredMemory(loans, readOnly, true);
  }

  @Override
  public Memory asReadOnly() {
    List<Memory> same = new ArrayList<>();
    for (Memory piece : pieces) {
      same.add(piece.asReadOnly());
    }
    return new ScatteredMemory(same, true);
  }

  /// Returns the index of the underlying memory that contains the given offset.
  private int piece(long offset) {
    int found = Arrays.binarySearch(starts, offset);
    return found >= 0 ? found : -found - 2;
  }

  /// Returns the number of bytes between the given offset and the end of its underlying memory.
  private long rest(int piece, long offset) {
    return starts[piece] + pieces[piece].lengthBytes() - offset;
  }

  @Override
  public byte get(long offset) {
    int i = piece(Objects.checkIndex(offset, length));
    return pieces[i].get(offset - starts[i]);
  }

  @Override
  public int getInt(long offset) {
    int i = piece(Objects.checkFromIndexSize(offset, Integer.BYTES, length));
    return rest(i, offset) >= Integer.BYTES
        ? pieces[i].getInt(offset - starts[i])
        : (int) over(offset, Integer.BYTES);
  }

  @Override
  public long getLong(long offset) {
    int i = piece(Objects.checkFromIndexSize(offset, Long.BYTES, length));
    return rest(i, offset) >= Long.BYTES
        ? pieces[i].getLong(offset - starts[i])
        : over(offset, Long.BYTES);
  }

  /// Returns a little-endian integer that spans at least two of the underlying memories.
  private long over(long offset, int bytes) {
    long value = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      value = (value << Byte.SIZE) | (get(offset + i) & 0xff);
    }
    return value;
  }

  @Override
  public void set(long offset, byte value) {
    int i = piece(Objects.checkIndex(offset, length));
    pieces[i].set(offset - starts[i], value);
  }

  @Override
  public void setInt(long offset, int value) {
    int i = piece(Objects.checkFromIndexSize(offset, Integer.BYTES, length));
    if (rest(i, offset) >= Integer.BYTES) {
      pieces[i].setInt(offset - starts[i], value);
    } else {
      setOver(offset, value, Integer.BYTES);
    }
  }

  @Override
  public void setLong(long offset, long value) {
    int i = piece(Objects.checkFromIndexSize(offset, Long.BYTES, length));
    if (rest(i, offset) >= Long.BYTES) {
      pieces[i].setLong(offset - starts[i], value);
    } else {
      setOver(offset, value, Long.BYTES);
    }
  }

  private void setOver(long offset, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      set(offset + i, (byte) (value >>> (i * Byte.SIZE)));
    }
  }

  /// An operation that is applied to each part of a range, where each part lies in one of the
  /// underlying memories.
  @FunctionalInterface
  private interface Step {
    /// Performs the operation on one part.
    ///
    /// @param at the offset in the underlying memory
    /// @param done the number of bytes of the range that precede this part
    void in(Memory piece, long at, long done, long count);
  }

  private void each(long offset, long count, Step step) {
    Objects.checkFromIndexSize(offset, count, length);
    long done = 0;
    for (int i = count == 0 ? 0 : piece(offset); done < count; i++) {
      long at = offset + done;
      long part = Math.min(rest(i, at), count - done);
      step.in(pieces[i], at - starts[i], done, part);
      done += part;
    }
  }

  @Override
  public void copyTo(long from, byte[] target, int at, int count) {
    Objects.checkFromIndexSize(at, count, target.length);
    each(
        from,
        count,
        (piece, in, done, part) -> piece.copyTo(in, target, at + (int) done, (int) part));
  }

  @Override
  public void copyFrom(byte[] source, int at, long to, int count) {
    Objects.checkFromIndexSize(at, count, source.length);
    each(
        to,
        count,
        (piece, in, done, part) -> piece.copyFrom(source, at + (int) done, in, (int) part));
  }

  @Override
  public void copyTo(long from, Memory target, long at, long count) {
    Objects.checkFromIndexSize(at, count, target.lengthBytes());
    each(from, count, (piece, in, done, part) -> piece.copyTo(in, target, at + done, part));
  }

  @Override
  void copyFrom(RangeMemory source, long from, long at, long count) {
    Objects.checkFromIndexSize(from, count, source.lengthBytes());
    each(at, count, (piece, in, done, part) -> source.copyTo(from + done, piece, in, part));
  }

  @Override
  public void copyTo(long from, Block target, long at, long count) {
    Objects.checkFromIndexSize(at, count, target.lengthBytes());
    each(from, count, (piece, in, done, part) -> piece.copyTo(in, target, at + done, part));
  }

  @Override
  public void copyFrom(Block source, long from, long at, long count) {
    Objects.checkFromIndexSize(from, count, source.lengthBytes());
    each(at, count, (piece, in, done, part) -> piece.copyFrom(source, from + done, in, part));
  }

  @Override
  public Memory revokeNow() {
    if (!lent) {
      throw partOfPieces();
    }
    List<Memory> fresh = new ArrayList<>();
    for (Memory piece : pieces) {
      fresh.add(piece.revokeNow());
    }
    return new ScatteredMemory(fresh, readOnly, true);
  }

  @Override
  public void revoke() {
    if (!lent) {
      throw partOfPieces();
    }
    if (!isLive()) {
      throw MemoryRoot.endedBefore();
    }
    close();
  }

  /// Closes the underlying memories if they were lent to this memory. Otherwise this method does
  /// nothing, because the memories belong to their owners.
  @Override
  public void close() {
    if (lent) {
      for (Memory piece : pieces) {
        piece.close();
      }
    }
  }

  @Override
  public @Nullable Memory writable(Account account) {
    checkWritable();
    return copyInstead(account);
  }

  private static UnsupportedOperationException partOfPieces() {
    return new UnsupportedOperationException(
        "scattered memory cannot be revoked as such. Why: its pieces belong to their owners."
            + " Fix: revoke the pieces.");
  }
}
