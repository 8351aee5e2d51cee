package sluice.nfs.v4.wire;

import java.util.Arrays;
import java.util.HexFormat;
import sluice.nfs.rpc.XdrReader;

/// The name of a client, an open owner or a lock owner, which is a byte string that was chosen by
/// the client. Instances are immutable and thread-safe.
public final class Opaque {
  /// The maximum length of a name (`NFS4_OPAQUE_LIMIT` of RFC 8881).
  static final int MAX_BYTES = 1024;

  private final byte[] bytes;
  private final int hash;

  /// Creates a name.
  ///
  /// @param bytes the bytes of the name, which must not be changed afterwards
  public Opaque(byte[] bytes) {
    this.bytes = bytes;
    hash = Arrays.hashCode(bytes);
  }

  public static Opaque read(XdrReader in) {
    return new Opaque(in.opaque(MAX_BYTES));
  }

  /// Returns the bytes of the name, which the caller must not change.
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Opaque o && o.hash == hash && Arrays.equals(o.bytes, bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
