package sluice.http.files;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.ContentNegotiation;
import sluice.http.site.Compression;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.sys.zstd.Zstd;

/// Compresses whole files on the fly for the cache, using gzip (RFC 1952) or zstd (RFC 8878). The
/// number of files that are compressed concurrently is limited to half the number of processors.
/// Further callers wait on the slow path.
///
/// Stateless. Any thread except that of a loop may call, since compressing a megabyte takes about
/// ten milliseconds.
final class Precompress {
  private static final Semaphore AT_WORK =
      new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

  private static final int HEADER_BYTES = 10;
  private static final int TRAILER_BYTES = 8;

  /// The result of a compression.
  ///
  /// @param block the compressed bytes, with one lease
  /// @param checksum the checksum of the compressed bytes
  record Compressed(FileCoding coding, Block block, int checksum) {}

  private Precompress() {}

  /// Returns a [ContentNegotiation] mask of the codings in which files can be compressed in this
  /// process.
  static int codings(Compression how) {
    int gzip = how.gzipLevel() > 0 ? ContentNegotiation.GZIP : 0;
    return how.zstdLevel() > 0 && Zstd.why().isEmpty() ? gzip | ContentNegotiation.ZSTD : gzip;
  }

  /// Compresses `body`, whose length must satisfy [Compression#fits].
  ///
  /// @param coding one of [#codings]
  /// @return the compressed file, or null if this does not save at least a tenth, or the account is
  ///   exhausted
  static @Nullable Compressed compress(
      FileCoding coding, MemorySegment body, Compression how, Account account) {
    AT_WORK.acquireUninterruptibly();
    try {
      return coding == FileCoding.ZSTD
          ? zstd(body, how.zstdLevel(), account)
          : gzip(body, how.gzipLevel(), account);
    } finally {
      AT_WORK.release();
    }
  }

  /// @param level 1 to 19
  private static @Nullable Compressed zstd(MemorySegment body, int level, Account account) {
    try (Arena arena = Arena.ofConfined()) {
      long length = body.byteSize();
      MemorySegment plain = body.isNative() ? body : arena.allocate(length).copyFrom(body);
      MemorySegment out = arena.allocate(length - length / 10);
      long total = Zstd.compress(plain, out, level);
      Block block = total < 0 ? null : Block.allocate(account, total);
      if (block == null) {
        return null;
      }
      MemorySegment.copy(out, 0, block.segment(), 0, total);
      CRC32 packed = new CRC32();
      packed.update(out.asSlice(0, total).asByteBuffer());
      return new Compressed(FileCoding.ZSTD, block, (int) packed.getValue());
    }
  }

  /// @param level 1 to 9
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
    return new Compressed(FileCoding.GZIP, block, (int) packed.getValue());
  }

  /// Compresses `body` into `out` after the header.
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

  /// Writes a header without a name and time, so that compressing equal bytes produces equal bytes.
  private static void writeHeader(byte[] out, int level) {
    out[0] = 0x1f;
    out[1] = (byte) 0x8b;
    out[2] = Deflater.DEFLATED;
    out[8] = (byte) (level == 9 ? 2 : level == 1 ? 4 : 0);
    out[9] = 3; // Unix
  }
}
