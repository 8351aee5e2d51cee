package sluice.domain;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;

/// The two JVM-wide caches of `java.io`, of classes and of how their fields are reached. An entry
/// is a soft reference that names its class. When a collection clears one while the class still
/// lives, it waits in a queue of the cache and keeps the class, until that cache is next asked for
/// any class at all; in a JVM that never serializes again that is for ever. Any thread.
final class SerialCaches {
  private static final byte[] NUMBER = number();

  private SerialCaches() {}

  private static byte[] number() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /// Asks both caches, by reading a number, so that they drop what was cleared.
  static void dropCleared() {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(NUMBER))) {
      in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      // A filter of the host refuses it: then they are asked when the host serializes.
      return;
    }
  }
}
