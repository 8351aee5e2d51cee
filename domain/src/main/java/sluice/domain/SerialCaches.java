package sluice.domain;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;

/// Access to the two JVM-wide serialization caches of `java.io`, for class descriptors and for
/// field access. Any thread may call.
///
/// An entry is a soft reference that refers to its class. A reference that is cleared while the
/// class is loaded remains in a queue of its cache and keeps the class reachable until the cache is
/// next accessed for any class. In a JVM that never uses serialization again, it remains forever.
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

  /// Makes both caches remove their cleared entries, by deserializing a number.
  static void dropCleared() {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(NUMBER))) {
      in.readObject();
    } catch (IOException | ClassNotFoundException e) {
      // A filter of the host rejected it. The entries are removed when the host next uses
      // serialization.
      return;
    }
  }
}
