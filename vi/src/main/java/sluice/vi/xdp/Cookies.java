package sluice.vi.xdp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Numbers that only a sender can repeat that hears what is sent to its address: nothing is kept
/// for a client before it has (as RFC 9293's SYN cookies and RFC 6347, 4.2.1). Of the device's
/// thread.
final class Cookies {
  private static final String NAME = "HmacSHA256";

  private final Mac mac;

  Cookies() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    try {
      mac = Mac.getInstance(NAME);
      mac.init(new SecretKeySpec(key, NAME));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + NAME, e);
    }
  }

  /// Computes the cookie of a client at an address.
  long of(@Nullable InetSocketAddress from, long client) {
    byte[] host = from == null ? new byte[0] : from.getAddress().getAddress();
    int port = from == null ? 0 : from.getPort();
    ByteBuffer what = ByteBuffer.allocate(host.length + Integer.BYTES + Long.BYTES);
    what.put(host).putInt(port).putLong(client);
    return ByteBuffer.wrap(mac.doFinal(what.array())).getLong();
  }
}
