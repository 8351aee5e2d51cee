package sluice.loop;

import sluice.loop.engine.LeaseLimits;

/// The limits of one loop. Every queue and buffer of a loop is bounded by one of them.
///
/// @param maxConnections the maximum number of open connections; when another client arrives, the
///   connection that has been idle longest is closed, or the new one is refused, see
///   [Connection#idle]
/// @param partialBytesPerConnection the amount of unconsumed input of a connection at which
///   receiving pauses. Input that the turn has already received is kept. On io_uring, a receive
///   continues until its cancellation has been submitted, so this may be up to `chunks *
///   chunkBytes` of [sluice.loop.engine.EngineConfig] more. All of it is charged to the loop's
///   budget, in blocks of up to twice its size
/// @param partialBytesPerLoop the same limit for all connections of the loop together
/// @param stagingBytes the number of reply bytes staged in one turn at which input waits
/// @param writeTimeoutNanos the time after which a connection is aborted if its peer must read but
///   receives no byte. The timeout is detected late by up to a quarter of its value
/// @param lingerTimeoutNanos the time for which input is drained after our FIN
/// @param leases the limits on the input that handlers may retain
/// @param outputBytesPerLoop the memory for output that peers have not read, for all connections
///   together; a connection waits if there is no room. It should be at least twice `stagingBytes`
///   for full speed
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

  /// Creates a configuration with [LeaseLimits#DEFAULT] and the same amount of memory for output as
  /// for input.
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
