package sluice.nfs.rpc;

import org.jspecify.annotations.Nullable;

/// Remembers decoded credentials by their bytes, so that a client's next call costs a comparison
/// and no object. Owned by the loop's thread.
final class CredentialCache {
  private static final int SLOTS = 64;

  /// The stamp differs from call to call with some clients, and says nothing.
  private static final int STAMP_BYTES = 4;

  private final byte[][] bodies = new byte[SLOTS][];
  private final @Nullable Credentials[] decoded = new Credentials[SLOTS];

  /// Reads an `opaque_auth`.
  ///
  /// @throws RpcRefusal AUTH_BADCRED, or AUTH_TOOWEAK for a flavor that is not served
  Credentials read(XdrReader from) {
    int flavor = from.int32();
    int bytes = from.int32();
    if (bytes < 0 || bytes > Credentials.MAX_BODY_BYTES || (bytes & 3) != 0) {
      throw new RpcRefusal(RpcRefusal.AUTH_BADCRED);
    }
    if (flavor == Credentials.AUTH_NONE) {
      from.skip(bytes);
      return Credentials.NONE;
    }
    if (flavor != Credentials.AUTH_SYS) {
      throw new RpcRefusal(RpcRefusal.AUTH_TOOWEAK);
    }
    int start = from.position();
    from.skip(bytes);
    int end = from.position();
    if (bytes < STAMP_BYTES) {
      throw new RpcRefusal(RpcRefusal.AUTH_BADCRED);
    }
    from.position(start + STAMP_BYTES);
    int slot = slot(from, end);
    byte[] known = bodies[slot];
    Credentials credentials = decoded[slot];
    if (credentials != null && known.length == bytes - STAMP_BYTES && from.startsWith(known)) {
      from.position(end);
      return credentials;
    }
    byte[] body = from.fixed(bytes - STAMP_BYTES);
    from.position(start);
    Credentials made = Credentials.decode(from, bytes);
    bodies[slot] = body;
    decoded[slot] = made;
    return made;
  }

  /// Ids are what differs between the users of one machine: they decide.
  private static int slot(XdrReader from, int end) {
    int sum = 0;
    for (int at = from.position(); at < end; at += Integer.BYTES) {
      sum = 31 * sum + from.peek(at);
    }
    sum ^= sum >>> 16;
    sum ^= sum >>> 8;
    return sum & SLOTS - 1;
  }
}
