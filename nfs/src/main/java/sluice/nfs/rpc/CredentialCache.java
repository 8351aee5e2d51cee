package sluice.nfs.rpc;

import org.jspecify.annotations.Nullable;

/// A cache of decoded credentials, keyed by their encoded bytes. A cache hit requires one
/// comparison and allocates nothing. Instances are owned by the loop's thread.
final class CredentialCache {
  private static final int SLOTS = 64;

  /// The length of the stamp, which some clients change with every call. The stamp has no meaning
  /// and is not compared.
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

  /// Returns the slot for a body. The hash includes all of its words, because the credentials of
  /// users of the same machine differ in only a few of them.
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
