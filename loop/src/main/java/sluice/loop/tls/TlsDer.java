package sluice.loop.tls;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Converts older private key formats to PKCS#8 (RFC 5958), which is the only format that the JDK
/// reads, in a few lines of DER (X.690). Stateless.
final class TlsDer {
  private static final int INTEGER = 0x02;
  private static final int OCTET_STRING = 0x04;
  private static final int SEQUENCE = 0x30;
  private static final int CONTEXT_0 = 0xa0;

  private static final byte[] VERSION_0 = {INTEGER, 1, 0};

  /// `rsaEncryption`, 1.2.840.113549.1.1.1, with its NULL parameters.
  private static final byte[] RSA = {
    0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0
  };

  /// `id-ecPublicKey`, 1.2.840.10045.2.1.
  private static final byte[] EC = {
    0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01
  };

  private TlsDer() {}

  /// Converts an RSA key.
  ///
  /// @param pkcs1 an RSAPrivateKey (RFC 8017, A.1.2)
  static byte[] pkcs8OfRsa(byte[] pkcs1) {
    return pkcs8(RSA, pkcs1);
  }

  /// Converts an EC key.
  ///
  /// @param sec1 an ECPrivateKey (RFC 5915)
  /// @param parameters the curve, for a key that does not specify it
  /// @throws IndexOutOfBoundsException if the key is truncated
  /// @throws IllegalArgumentException if the key is not an ECPrivateKey, or if no curve is
  ///   specified
  static byte[] pkcs8OfEc(byte[] sec1, byte @Nullable [] parameters) {
    int at = content(sec1, 0, SEQUENCE);
    at = after(sec1, at, INTEGER);
    at = after(sec1, at, OCTET_STRING);
    byte[] curve = parameters;
    if (at < sec1.length && (sec1[at] & 0xff) == CONTEXT_0) {
      curve = Arrays.copyOfRange(sec1, content(sec1, at, CONTEXT_0), after(sec1, at, CONTEXT_0));
    }
    if (curve == null) {
      throw new IllegalArgumentException("no curve is named");
    }
    return pkcs8(concat(EC, curve), sec1);
  }

  private static byte[] pkcs8(byte[] algorithm, byte[] key) {
    byte[] head = concat(VERSION_0, element(SEQUENCE, algorithm));
    return element(SEQUENCE, concat(head, element(OCTET_STRING, key)));
  }

  private static byte[] element(int tag, byte[] content) {
    int n = content.length;
    byte[] head;
    if (n < 0x80) {
      head = new byte[] {(byte) tag, (byte) n};
    } else if (n < 0x10000) {
      head = new byte[] {(byte) tag, (byte) 0x82, (byte) (n >> 8), (byte) n};
    } else {
      head = new byte[] {(byte) tag, (byte) 0x83, (byte) (n >> 16), (byte) (n >> 8), (byte) n};
    }
    return concat(head, content);
  }

  private static int content(byte[] der, int at, int tag) {
    if ((der[at] & 0xff) != tag) {
      throw new IllegalArgumentException("tag " + der[at] + " where " + tag + " belongs");
    }
    int first = der[at + 1] & 0xff;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
  }

  private static int after(byte[] der, int at, int tag) {
    int start = content(der, at, tag);
    int length = 0;
    if (start == at + 2) {
      length = der[at + 1];
    }
    for (int i = at + 2; i < start; i++) {
      length = (length << 8) | (der[i] & 0xff);
    }
    if (length < 0 || length > der.length - start) {
      throw new IndexOutOfBoundsException("an element of " + length + " bytes ends early");
    }
    return start + length;
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
