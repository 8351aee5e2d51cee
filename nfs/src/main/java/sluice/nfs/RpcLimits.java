package sluice.nfs;

/// The limits of one loop of an RPC server. When a limit is reached, the loop stops reading from
/// its connections instead of refusing calls. Datagrams are dropped, because clients retransmit
/// them.
///
/// @param messageBytes the maximum length of a call and of a reply, 64 KiB to 16 MiB
/// @param callsPerConnection the maximum number of calls of one connection that workers process at
///   the same time
/// @param calls the maximum number of calls of all connections that workers process at the same
///   time
/// @param messageMemoryBytes the maximum memory for calls that are being received or processed by
///   workers
/// @param leasedBytesPerConnection the number of file system cache bytes that the replies of one
///   connection may lease until the client has received them; replies that are written on the
///   loop's thread may exceed this limit slightly
/// @param leasedBytes the maximum number of leased bytes of all connections; when it is reached,
///   replies are copied, and shortened if the protocol allows it
/// @param idleNanos the time without calls after which a connection is closed
/// @param messageNanos the maximum time between the first and the last byte of a call
public record RpcLimits(
    int messageBytes,
    int callsPerConnection,
    int calls,
    long messageMemoryBytes,
    long leasedBytesPerConnection,
    long leasedBytes,
    long idleNanos,
    long messageNanos) {
  /// The default limits, which allow calls with up to 1 MiB of data and suit a cache of 64 MiB.
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
  /// @throws IllegalArgumentException if a limit is out of range or contradicts another limit
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

  /// Returns a copy with the given limits on concurrent calls, per connection and in total.
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

  /// Returns a copy with the given limit on the memory for calls, which must be at least twice the
  /// maximum message length.
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

  /// Returns a copy with the given limit on the leased bytes of all connections. A single
  /// connection may lease half of it.
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

  /// Returns a copy with the given timeouts in nanoseconds, which are the idle timeout of a
  /// connection and the timeout for receiving a complete call.
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
