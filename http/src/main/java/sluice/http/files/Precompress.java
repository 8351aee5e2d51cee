package sluice.http.files;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// Compression on the fly: gzip (RFC 1952) of a whole file, once, for the cache.
///
/// Stateless: any thread but a loop's, since a megabyte takes some ten milliseconds.
final class Precompress {
  /// Below this, headers outweigh what is saved.
  static final int LEAST_BYTES = 256;

  static final int MOST_BYTES = 1 << 20;

  private static final int HEADER_BYTES = 10;
  private static final int TRAILER_BYTES = 8;

  /// @param block the compressed bytes, with one lease
  /// @param checksum of the compressed bytes
  record Compressed(Block block, int checksum) {}

  private Precompress() {}

  /// Whether a body of that length is worth trying.
  static boolean fits(long lengthBytes) {
    return lengthBytes >= LEAST_BYTES && lengthBytes <= MOST_BYTES;
  }

  /// Compresses `body`, of a length that [#fits].
  ///
  /// @param level 1 to 9
  /// @return null when it does not become smaller by a tenth, or the account has no room
  static @Nullable Compressed gzip(MemorySegment body, int level, Account account) {
    int length = (int) body.byteSize();
    byte[] out = new byte[length - length / 10];
    int used = deflate(body, level, out);
    if (used < 0) {
      return null;
    }
    CRC32 plain = new CRC32();
    plain.update(body.asByteBuffer());
    writeHeader(out, level);
    ByteBuffer.wrap(out)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(used, (int) plain.getValue())
        .putInt(used + 4, length);
    int total = used + TRAILER_BYTES;
    Block block = Block.allocate(account, total);
    if (block == null) {
      return null;
    }
    MemorySegment.copy(MemorySegment.ofArray(out), 0, block.segment(), 0, total);
    CRC32 packed = new CRC32();
    packed.update(out, 0, total);
    return new Compressed(block, (int) packed.getValue());
  }

  /// @return where the trailer goes, or -1 when it does not fit
  private static int deflate(MemorySegment body, int level, byte[] out) {
    Deflater deflater = new Deflater(level, true);
    try {
      deflater.setInput(body.asByteBuffer());
      deflater.finish();
      int at = HEADER_BYTES;
      int end = out.length - TRAILER_BYTES;
      while (!deflater.finished()) {
        int count = at < end ? deflater.deflate(out, at, end - at) : 0;
        if (count == 0) {
          return -1;
        }
        at += count;
      }
      return at;
    } finally {
      deflater.end();
    }
  }

  /// No name and no time: equal bytes compress to equal bytes.
  private static void writeHeader(byte[] out, int level) {
    out[0] = 0x1f;
    out[1] = (byte) 0x8b;
    out[2] = Deflater.DEFLATED;
    out[8] = (byte) (level == 9 ? 2 : level == 1 ? 4 : 0);
    out[9] = 3; // Unix
  }
}
