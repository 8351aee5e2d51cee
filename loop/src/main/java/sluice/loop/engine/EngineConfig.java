package sluice.loop.engine;

/// The limits of an engine.
///
/// @param chunks the number of chunks of the receive arena, a power of two, 1 to 32 768
/// @param chunkBytes the size of each chunk, 64 bytes to 1 MiB, a multiple of 64
/// @param maxSockets the maximum number of open sockets and listeners, 1 to 1 048 576. At this
///   limit, epoll, poll and jdk fail to accept with -EMFILE, as every engine does at the limit of
///   the process
public record EngineConfig(int chunks, int chunkBytes, int maxSockets) {
  /// The default configuration: 512 chunks of 16 KiB. With smaller chunks, large messages take
  /// several times the CPU time.
  public static final EngineConfig DEFAULT = new EngineConfig(512, 16 << 10, 65_536);

  public EngineConfig {
    if (chunks < 1 || chunks > 32_768 || Integer.bitCount(chunks) != 1) {
      throw new IllegalArgumentException("chunks must be a power of two, 1 to 32768: " + chunks);
    }
    if (chunkBytes < 64 || chunkBytes > 1 << 20 || chunkBytes % 64 != 0) {
      throw new IllegalArgumentException(
          "chunkBytes must be a multiple of 64, 64 to 1048576: " + chunkBytes);
    }
    if (maxSockets < 1 || maxSockets > 1 << 20) {
      throw new IllegalArgumentException("maxSockets must be 1 to 1048576: " + maxSockets);
    }
  }

  public EngineConfig withChunks(int count, int bytes) {
    return new EngineConfig(count, bytes, maxSockets);
  }

  public EngineConfig withMaxSockets(int value) {
    return new EngineConfig(chunks, chunkBytes, value);
  }
}
