package sluice.nfs.v4.wire;

import java.util.Arrays;
import java.util.HexFormat;
import sluice.nfs.rpc.XdrReader;

/// Bytes that a client has chosen as a name: of a client, of an owner of opens or locks. Immutable:
/// any thread may use it.
public final class Opaque {
  /// RFC 8881: `NFS4_OPAQUE_LIMIT`.
  static final int MAX_BYTES = 1024;

  private final byte[] bytes;
  private final int hash;

  /// @param bytes not to be changed afterwards
  public Opaque(byte[] bytes) {
    this.bytes = bytes;
    hash = Arrays.hashCode(bytes);
  }

  public static Opaque read(XdrReader in) {
    return new Opaque(in.opaque(MAX_BYTES));
  }

  /// Not to be changed.
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
