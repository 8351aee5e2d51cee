package sluice.nfs.v4.wire;

import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// The limits of one channel of a session (`channel_attrs4`, RFC 8881, section 18.36.1). Instances
/// are immutable and thread-safe.
///
/// @param requestBytes the maximum length of a request, including the RPC header
/// @param responseBytes the maximum length of a reply, including the RPC header
/// @param cachedBytes the maximum length of a cached reply
/// @param operations the maximum number of operations in a COMPOUND
/// @param requests the number of slots
public record Nfs4Channel(
    int requestBytes, int responseBytes, int cachedBytes, int operations, int requests) {
  /// The maximum length of the data of one READ or WRITE.
  public static final int MAX_CONTENT_BYTES = 1 << 20;

  /// The space for everything except the data, which includes the RPC header, the credentials,
  /// SEQUENCE, PUTFH and GETATTR.
  private static final int OVERHEAD_BYTES = 4096;

  public static final int MAX_MESSAGE_BYTES = MAX_CONTENT_BYTES + OVERHEAD_BYTES;
  static final int MAX_CACHED_BYTES = 4096;
  static final int MAX_OPERATIONS = 64;
  public static final int MAX_SLOTS = 64;

  /// The minimum length of a message, which is sufficient for the header with credentials, SEQUENCE
  /// and one more operation.
  private static final int MIN_BYTES = 256;

  /// Reads the limits that a client requests.
  ///
  /// @return the limits that the server grants
  public static Nfs4Channel read(XdrReader in) {
    in.int32(); // header padding, unused
    int request = clamp(in.int32(), MAX_MESSAGE_BYTES);
    int response = clamp(in.int32(), MAX_MESSAGE_BYTES);
    int cached = clamp(in.int32(), MAX_CACHED_BYTES);
    int operations = clamp(in.int32(), MAX_OPERATIONS);
    int slots = clamp(in.int32(), MAX_SLOTS);
    int rdma = in.length(1); // ca_rdma_ird<1>
    in.skip(4 * rdma);
    return new Nfs4Channel(request, response, cached, operations, slots);
  }

  public void write(XdrWriter out) {
    out.int32(0).int32(requestBytes).int32(responseBytes).int32(cachedBytes);
    out.int32(operations).int32(requests).int32(0);
  }

  /// Returns true if these limits allow a COMPOUND that consists of SEQUENCE and one more
  /// operation.
  public boolean isUsable() {
    return requestBytes >= MIN_BYTES
        && responseBytes >= MIN_BYTES
        && operations >= 2
        && requests >= 1;
  }

  private static int clamp(int unsigned, int most) {
    return unsigned < 0 ? most : Math.min(unsigned, most);
  }
}
