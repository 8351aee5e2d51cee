package sluice.fs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import sluice.fs.block.BlockDevice;
import sluice.memory.block.Block;

/// A device of any length that uses memory only for pages that contain a byte other than zero, like
/// a sparse image. Safe for use by any thread.
public final class SparseDevice implements BlockDevice {
  private static final int PAGE = 4096;

  private final long lengthBytes;
  private final Map<Long, MemorySegment> pages = new HashMap<>();

  public SparseDevice(long lengthBytes) {
    this.lengthBytes = lengthBytes;
  }

  /// Creates a device that begins with the given bytes.
  public SparseDevice(long lengthBytes, byte[] start) throws IOException {
    this(lengthBytes);
    Block block = Blocks.of(start.length);
    MemorySegment.copy(start, 0, block.segment(), ValueLayout.JAVA_BYTE, 0, start.length);
    write(0, block, 0, start.length);
    block.release();
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  private interface Piece {
    void of(long page, int inPage, long done, int bytes);
  }

  private void each(long position, int bytes, Piece piece) throws IOException {
    if (position < 0 || position + bytes > lengthBytes) {
      throw new IOException(bytes + " bytes at " + position + " of " + lengthBytes);
    }
    for (int done = 0; done < bytes; ) {
      int inPage = (int) ((position + done) % PAGE);
      int some = Math.min(bytes - done, PAGE - inPage);
      piece.of((position + done) / PAGE, inPage, done, some);
      done += some;
    }
  }

  @Override
  public synchronized void read(long position, Block into, long offset, int bytes)
      throws IOException {
    each(
        position,
        bytes,
        (number, inPage, done, some) -> {
          MemorySegment target = into.segment().asSlice(offset + done, some);
          MemorySegment page = pages.get(number);
          if (page == null) {
            target.fill((byte) 0);
          } else {
            target.copyFrom(page.asSlice(inPage, some));
          }
        });
  }

  @Override
  public synchronized void write(long position, Block from, long offset, int bytes)
      throws IOException {
    each(
        position,
        bytes,
        (number, inPage, done, some) -> {
          MemorySegment source = from.segment().asSlice(offset + done, some);
          MemorySegment page = pages.get(number);
          if (page == null && !isZero(source)) {
            page = MemorySegment.ofArray(new byte[PAGE]);
            pages.put(number, page);
          }
          if (page != null) {
            page.asSlice(inPage, some).copyFrom(source);
          }
        });
  }

  private static boolean isZero(MemorySegment bytes) {
    MemorySegment zeros = MemorySegment.ofArray(new byte[PAGE]).asSlice(0, bytes.byteSize());
    return bytes.mismatch(zeros) < 0;
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
