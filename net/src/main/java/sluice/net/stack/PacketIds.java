package sluice.net.stack;

/// Generates the IDs of packets (RFC 791, section 3.2). Each ID is used once per 65 536 packets,
/// and the next ID cannot be predicted (RFC 6864; RFC 7739, section 5.4). Instances are owned by
/// the stack's thread.
///
/// A Feistel network of four rounds (Luby and Rackoff, 1988) permutes the numbers 0 to 65 535. Its
/// round functions are secret tables of 256 bytes, which are renewed when all numbers have been
/// used. Generating an ID requires four loads.
final class PacketIds {
  private static final int HALF = 256;
  private static final int ROUNDS = 4;

  private final SecretNumbers secret;
  private final byte[] tables = new byte[ROUNDS * HALF];
  private int position;

  PacketIds(SecretNumbers secret) {
    this.secret = secret;
    renew();
  }

  private void renew() {
    for (int i = 0; i < tables.length; i += Long.BYTES) {
      long word = secret.next();
      for (int j = 0; j < Long.BYTES; j++) {
        tables[i + j] = (byte) (word >>> (Byte.SIZE * j));
      }
    }
  }

  /// Returns the 16-bit ID of the next packet.
  int next() {
    int left = position >>> 8;
    int right = position & 0xff;
    left ^= tables[right] & 0xff;
    right ^= tables[HALF + left] & 0xff;
    left ^= tables[2 * HALF + right] & 0xff;
    right ^= tables[3 * HALF + left] & 0xff;
    position = position + 1 & 0xffff;
    if (position == 0) {
      renew();
    }
    return left << 8 | right;
  }
}
