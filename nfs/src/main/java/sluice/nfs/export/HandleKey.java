package sluice.nfs.export;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/// The secret key that seals the file handles of a tree. Immutable and thread-safe.
///
/// @param first the first eight bytes
/// @param second the last eight bytes
record HandleKey(long first, long second) {
  static final int BYTES = 16;

  static HandleKey random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return of(bytes);
  }

  static HandleKey of(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    return new HandleKey(from.getLong(), from.getLong());
  }

  byte[] bytes() {
    return ByteBuffer.allocate(BYTES).putLong(first).putLong(second).array();
  }

  /// Returns a constant, because the key must not appear in log messages.
  @Override
  public String toString() {
    return "HandleKey";
  }
}
