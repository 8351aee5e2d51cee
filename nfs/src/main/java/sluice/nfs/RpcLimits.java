package sluice.nfs;

/// The limits of one loop of an RPC server. When a limit is reached the loop stops reading. It
/// never refuses a call; datagrams are dropped, and clients retransmit them.
///
/// @param messageBytes the maximum length of a call and of a reply, 64 KiB to 16 MiB
/// @param callsPerConnection the maximum number of calls of one connection with workers
/// @param calls the maximum number of calls of all connections with workers
/// @param messageMemoryBytes the memory for calls that are being received or are with workers
/// @param leasedBytesPerConnection the number of file system cache bytes that the replies of one
///   connection may lease until the client has received them; replies made on the loop's thread may
///   exceed it a little
/// @param leasedBytes the same for all connections; beyond it replies are copied, and short if the
///   protocol allows
/// @param idleNanos the time without calls after which a connection is closed
/// @param messageNanos the time between the first and the last byte of a call
public record RpcLimits(
    int messageBytes,
    int callsPerConnection,
    int calls,
    long messageMemoryBytes,
    long leasedBytesPerConnection,
    long leasedBytes,
    long idleNanos,
    long messageNanos) {
  /// The default limits: calls with up to 1 MiB of data, for a cache of 64 MiB.
  public static final RpcLimits DEFAULT =
      new RpcLimits(
          (1 << 20) + (64 << 10),
          64,
          512,
          64L << 20,
          8L << 20,
          16L << 20,
          15 * 60_000_000_000L,
          60_000_000_000L);

  /// Creates limits.
  ///
  /// @throws IllegalArgumentException if a limit is out of range, or limits contradict each other
  public RpcLimits {
    if (messageBytes < 64 << 10 || messageBytes > 16 << 20) {
      throw new IllegalArgumentException("messageBytes must be 65536 to 16777216: " + messageBytes);
    }
    if (callsPerConnection < 1 || calls < callsPerConnection || calls > 1 << 16) {
      throw new IllegalArgumentException(
          "callsPerConnection must be at least 1, and calls as much to 65536: "
              + callsPerConnection
              + ", "
              + calls);
    }
    if (messageMemoryBytes < 2L * messageBytes) {
      throw new IllegalArgumentException(
          "messageMemoryBytes must be twice messageBytes: " + messageMemoryBytes);
    }
    if (leasedBytesPerConnection < 0 || leasedBytes < leasedBytesPerConnection) {
      throw new IllegalArgumentException(
          "leasedBytesPerConnection must not be negative, nor leasedBytes less: "
              + leasedBytesPerConnection
              + ", "
              + leasedBytes);
    }
  }

  /// Returns a copy with other limits on concurrent calls.
  public RpcLimits withCalls(int perConnection, int together) {
    return new RpcLimits(
        messageBytes,
        perConnection,
        together,
        messageMemoryBytes,
        leasedBytesPerConnection,
        leasedBytes,
        idleNanos,
        messageNanos);
  }

  /// Returns a copy with another limit on the memory for calls, at least twice the maximum message
  /// length.
  public RpcLimits withMessageMemoryBytes(long value) {
    return new RpcLimits(
        messageBytes,
        callsPerConnection,
        calls,
        value,
        leasedBytesPerConnection,
        leasedBytes,
        idleNanos,
        messageNanos);
  }

  /// Returns a copy with another limit of leased bytes for all connections; one connection gets
  /// half of it.
  public RpcLimits withLeasedBytes(long value) {
    return new RpcLimits(
        messageBytes,
        callsPerConnection,
        calls,
        messageMemoryBytes,
        value / 2,
        value,
        idleNanos,
        messageNanos);
  }

  /// Returns a copy with other times in nanoseconds: until an idle connection is closed, and until
  /// a call must be complete.
  public RpcLimits withTimes(long idle, long message) {
    return new RpcLimits(
        messageBytes,
        callsPerConnection,
        calls,
        messageMemoryBytes,
        leasedBytesPerConnection,
        leasedBytes,
        idle,
        message);
  }
}
