package sluice.vi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/// A registered buffer through which Level I copies messages. Owned by the thread at its queue.
final class Bounce {
  private final ViBuffer buffer;
  private final ViBufferTicket registration;
  private final ArrayDeque<Bounce> home;

  /// @param home the queue to which this buffer is added when the device has released it
  Bounce(Registrar vi, int bytes, ArrayDeque<Bounce> home) throws ViException {
    this.home = home;
    buffer = new ViBuffer(bytes);
    try {
      registration = buffer.register(vi, ViBufferAttributes.READ_WRITE);
    } catch (ViException e) {
      buffer.close();
      throw e;
    }
  }

  MemorySegment memory() {
    return buffer.memory();
  }

  int sizeBytes() {
    return buffer.sizeBytes();
  }

  long key() {
    return registration.key();
  }

  ViBufferTicket ticket() {
    return registration;
  }

  void copyFrom(byte[] array, int from, int length) {
    MemorySegment.copy(array, from, buffer.memory(), JAVA_BYTE, 0, length);
  }

  void copyTo(byte[] array, int at, int length) {
    MemorySegment.copy(buffer.memory(), JAVA_BYTE, 0, array, at, length);
  }

  /// Passes the buffer to the device for a receive.
  void lend() {
    buffer.claim();
  }

  /// Reclaims the buffer from the device.
  void takeBack() {
    buffer.giveBack();
  }

  void giveBack() {
    home.add(this);
  }

  void close() {
    buffer.close();
  }
}
