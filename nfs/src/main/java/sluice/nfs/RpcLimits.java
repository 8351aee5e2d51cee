package sluice.nfs;

/// Limits of what one loop of an RPC server takes on. Beyond one of them it stops reading; it never
/// refuses a call for it, except that a datagram is dropped, which clients send again.
///
/// @param messageBytes longest call and reply, 64 KiB to 16 MiB
/// @param callsPerConnection calls of one connection with workers at one time
/// @param calls calls of all connections with workers at one time
/// @param messageMemoryBytes memory for calls that are being put together, or are with workers
/// @param idleNanos a connection on which nothing is called for this long is closed
/// @param messageNanos a call must be complete this long after its first byte
public record RpcLimits(
    int messageBytes,
    int callsPerConnection,
    int calls,
    long messageMemoryBytes,
    long idleNanos,
    long messageNanos) {
  /// Calls of up to 1 MiB of content.
  public static final RpcLimits DEFAULT =
      new RpcLimits(
          (1 << 20) + (64 << 10), 64, 512, 64L << 20, 15 * 60_000_000_000L, 60_000_000_000L);

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
  }

  RpcLimits withCalls(int perConnection, int together) {
    return new RpcLimits(
        messageBytes, perConnection, together, messageMemoryBytes, idleNanos, messageNanos);
  }

  RpcLimits withMessageMemoryBytes(long value) {
    return new RpcLimits(messageBytes, callsPerConnection, calls, value, idleNanos, messageNanos);
  }

  RpcLimits withTimes(long idle, long message) {
    return new RpcLimits(
        messageBytes, callsPerConnection, calls, messageMemoryBytes, idle, message);
  }
}
