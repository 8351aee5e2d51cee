package sluice.loop;

import sluice.loop.engine.LeaseLimits;

/// Limits of one loop. Every queue and buffer of a loop is bounded by one of these.
///
/// @param maxConnections connections open at a time; for one more, the connection that has been
///   idle longest is closed, or it is refused, see [Connection#idle]
/// @param partialBytesPerConnection unconsumed input of a connection from which on receiving
///   pauses. What the turn had received by then is kept: on io_uring, whose receive goes on until
///   its cancellation has been submitted, at most `chunks * chunkBytes` of
///   [sluice.loop.engine.EngineConfig] more. All of it is charged to the loop's budget, in blocks
///   of up to twice its size
/// @param partialBytesPerLoop the same for all connections of the loop together
/// @param stagingBytes reply bytes staged in one turn before input waits
/// @param writeTimeoutNanos a peer that must read takes no byte for this long: its connection is
///   ended. Noticed up to a quarter of it late
/// @param lingerTimeoutNanos how long input is drained after our FIN
/// @param leases what handlers may keep of the input
/// @param outputBytesPerLoop memory of output that peers have not read, all connections together;
///   without room a connection waits. At least twice `stagingBytes` for full speed
public record LoopConfig(
    int maxConnections,
    int partialBytesPerConnection,
    long partialBytesPerLoop,
    int stagingBytes,
    long writeTimeoutNanos,
    long lingerTimeoutNanos,
    LeaseLimits leases,
    long outputBytesPerLoop) {
  public static final LoopConfig DEFAULT =
      new LoopConfig(16_384, 64 << 10, 64L << 20, 4 << 20, 60_000_000_000L, 2_000_000_000L);

  public LoopConfig {
    if (maxConnections < 1 || maxConnections > 1 << 20) {
      throw new IllegalArgumentException("maxConnections must be 1 to 1048576: " + maxConnections);
    }
    if (partialBytesPerConnection < 1024) {
      throw new IllegalArgumentException(
          "partialBytesPerConnection must be at least 1024: " + partialBytesPerConnection);
    }
    if (stagingBytes < 64 << 10) {
      throw new IllegalArgumentException("stagingBytes must be at least 65536: " + stagingBytes);
    }
    if (outputBytesPerLoop < 1024) {
      throw new IllegalArgumentException(
          "outputBytesPerLoop must be at least 1024: " + outputBytesPerLoop);
    }
  }

  /// With [LeaseLimits#DEFAULT], and as much memory for output as for input.
  public LoopConfig(
      int maxConnections,
      int partialBytesPerConnection,
      long partialBytesPerLoop,
      int stagingBytes,
      long writeTimeoutNanos,
      long lingerTimeoutNanos) {
    this(
        maxConnections,
        partialBytesPerConnection,
        partialBytesPerLoop,
        stagingBytes,
        writeTimeoutNanos,
        lingerTimeoutNanos,
        LeaseLimits.DEFAULT,
        partialBytesPerLoop);
  }

  public LoopConfig withMaxConnections(int value) {
    return new LoopConfig(
        value,
        partialBytesPerConnection,
        partialBytesPerLoop,
        stagingBytes,
        writeTimeoutNanos,
        lingerTimeoutNanos,
        leases,
        outputBytesPerLoop);
  }

  public LoopConfig withLeases(LeaseLimits value) {
    return new LoopConfig(
        maxConnections,
        partialBytesPerConnection,
        partialBytesPerLoop,
        stagingBytes,
        writeTimeoutNanos,
        lingerTimeoutNanos,
        value,
        outputBytesPerLoop);
  }

  /// @param perConnection see [#partialBytesPerConnection]
  /// @param perLoop see [#partialBytesPerLoop]
  public LoopConfig withPartialBytes(int perConnection, long perLoop) {
    return new LoopConfig(
        maxConnections,
        perConnection,
        perLoop,
        stagingBytes,
        writeTimeoutNanos,
        lingerTimeoutNanos,
        leases,
        outputBytesPerLoop);
  }

  public LoopConfig withWriteTimeout(long nanos) {
    return new LoopConfig(
        maxConnections,
        partialBytesPerConnection,
        partialBytesPerLoop,
        stagingBytes,
        nanos,
        lingerTimeoutNanos,
        leases,
        outputBytesPerLoop);
  }

  /// @param perLoop see [#outputBytesPerLoop]
  public LoopConfig withOutputBytes(long perLoop) {
    return new LoopConfig(
        maxConnections,
        partialBytesPerConnection,
        partialBytesPerLoop,
        stagingBytes,
        writeTimeoutNanos,
        lingerTimeoutNanos,
        leases,
        perLoop);
  }
}
