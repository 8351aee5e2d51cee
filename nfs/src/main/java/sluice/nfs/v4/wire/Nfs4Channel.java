package sluice.nfs.v4.wire;

import sluice.nfs.rpc.XdrReader;
import sluice.nfs.rpc.XdrWriter;

/// What one channel of a session can take (`channel_attrs4`, RFC 8881, section 18.36.1). Immutable:
/// any thread may use it.
///
/// @param requestBytes longest request, RPC header included
/// @param responseBytes longest reply, RPC header included
/// @param cachedBytes longest reply that is kept
/// @param operations most operations of a COMPOUND
/// @param requests slots
public record Nfs4Channel(
    int requestBytes, int responseBytes, int cachedBytes, int operations, int requests) {
  /// Content of one READ or WRITE, at most.
  public static final int MAX_CONTENT_BYTES = 1 << 20;

  /// Beside the content: RPC header, credentials, SEQUENCE, PUTFH, GETATTR.
  private static final int OVERHEAD_BYTES = 4096;

  public static final int MAX_MESSAGE_BYTES = MAX_CONTENT_BYTES + OVERHEAD_BYTES;
  static final int MAX_CACHED_BYTES = 4096;
  static final int MAX_OPERATIONS = 64;
  public static final int MAX_SLOTS = 64;

  /// Room for the header with credentials and for SEQUENCE with an operation more.
  private static final int MIN_BYTES = 256;

  /// Reads what a client requested.
  ///
  /// @return what it gets
  public static Nfs4Channel read(XdrReader in) {
    in.int32(); // header padding: none
    int request = clamp(in.int32(), MAX_MESSAGE_BYTES);
    int response = clamp(in.int32(), MAX_MESSAGE_BYTES);
    int cached = clamp(in.int32(), MAX_CACHED_BYTES);
    int operations = clamp(in.int32(), MAX_OPERATIONS);
    int slots = clamp(in.int32(), MAX_SLOTS);
    int rdma = in.length(1); // number of elements, at most one
    in.skip(4 * rdma);
    return new Nfs4Channel(request, response, cached, operations, slots);
  }

  public void write(XdrWriter out) {
    out.int32(0).int32(requestBytes).int32(responseBytes).int32(cachedBytes);
    out.int32(operations).int32(requests).int32(0);
  }

  /// Whether a session can do anything with it.
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
