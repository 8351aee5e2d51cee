package sluice.nfs.export;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/// The secret that file handles of a tree are sealed with. Immutable: any thread may use it.
///
/// @param first its first eight bytes
/// @param second its last eight bytes
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

  /// Says nothing: it is a secret.
  @Override
  public String toString() {
    return "HandleKey";
  }
}
