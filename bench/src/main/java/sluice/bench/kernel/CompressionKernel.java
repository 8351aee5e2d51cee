package sluice.bench.kernel;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.IntToLongFunction;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorOutputStream;

/// Compresses and expands 16 KB with the LZ4 of Commons Compress, which is written in Java. Owned
/// by the thread that runs it.
public final class CompressionKernel implements IntToLongFunction {
  private final byte[] plain = new byte[16 << 10];

  /// Makes bytes that repeat, but not soon.
  public CompressionKernel() {
    int state = 1;
    for (int i = 0; i < plain.length; i++) {
      state = state * 1103515245 + 12345;
      plain[i] =
          (byte)
              (i % 64 < 40 ? "to be compressed, again and again, ".charAt(i % 35) : state >>> 16);
    }
  }

  @Override
  public long applyAsLong(int times) {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      try {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (BlockLZ4CompressorOutputStream out = new BlockLZ4CompressorOutputStream(packed)) {
          out.write(plain);
        }
        try (BlockLZ4CompressorInputStream in =
            new BlockLZ4CompressorInputStream(new ByteArrayInputStream(packed.toByteArray()))) {
          sum += in.readAllBytes().length;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sum;
  }
}
