package sluice.nfs.v4.wire;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import sluice.nfs.export.NfsException;
import sluice.nfs.rpc.XdrWriter;

/// Encodes user and group IDs as strings of digits (RFC 8881, section 5.9), which Linux interprets
/// as numbers if AUTH_SYS is used. This class is thread-safe. The strings of recently used IDs are
/// cached.
public final class IdNames {
  private static final int KNOWN = 256;
  private static final int MAX_DIGITS = 10;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Known(int id, byte[] digits) {}

  private final AtomicReferenceArray<@Nullable Known> known = new AtomicReferenceArray<>(KNOWN);

  public void write(XdrWriter out, int id) {
    int place = (id ^ id >>> 8) & (KNOWN - 1);
    Known found = known.get(place);
    if (found == null || found.id != id) {
      byte[] digits = Integer.toUnsignedString(id).getBytes(StandardCharsets.US_ASCII);
      found = new Known(id, digits);
      known.set(place, found);
    }
    out.opaque(found.digits);
  }

  /// Parses an ID.
  ///
  /// @throws NfsException `BADOWNER` if the name is not a decimal number below 2^32 - 1
  static int read(byte[] name) throws NfsException {
    long id = 0;
    for (byte digit : name) {
      if (digit < '0' || digit > '9') {
        throw new NfsException(Nfs4Status.BADOWNER);
      }
      id = 10 * id + digit - '0';
    }
    if (name.length == 0 || name.length > MAX_DIGITS || id > 0xFFFF_FFFEL) {
      throw new NfsException(Nfs4Status.BADOWNER);
    }
    return (int) id;
  }
}
