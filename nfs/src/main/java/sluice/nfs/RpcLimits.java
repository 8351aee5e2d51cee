package sluice.nfs;

/// Limits of what one loop of an RPC server takes on. Beyond one of them it stops reading; it never
/// refuses a call for it, except that a datagram is dropped, which clients send again.
///
/// @param messageBytes longest call and reply, 64 KiB to 16 MiB
/// @param callsPerConnection calls of one connection with workers at one time
/// @param calls calls of all connections with workers at one time
/// @param messageMemoryBytes memory for calls that are being put together, or are with workers
/// @param leasedBytesPerConnection what the replies of one connection may keep of file systems'
///   caches until its client has taken them; a little more when they were made at once
/// @param leasedBytes the same of all connections; beyond it replies are copied, and short where
///   they may be
/// @param idleNanos a connection on which nothing is called for this long is closed
/// @param messageNanos a call must be complete this long after its first byte
public record RpcLimits(
    int messageBytes,
    int callsPerConnection,
    int calls,
    long messageMemoryBytes,
    long leasedBytesPerConnection,
    long leasedBytes,
    long idleNanos,
    long messageNanos) {
  /// Calls of up to 1 MiB of content, over a cache of 64 MiB.
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

  /// For all connections together; half of it for one.
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
