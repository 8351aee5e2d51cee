package sluice.vi.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import sluice.vi.device.Failure;

/// The greetings of a connection. Collects the peer's greeting and sends the greeting of this side.
/// Owned by the loop's thread.
abstract class Greeting implements RingConnection.User {
  private final byte[] heard;
  private int count;

  /// @param bytes the number of bytes in the peer's greeting
  Greeting(int bytes) {
    heard = new byte[bytes];
  }

  /// Handles the complete greeting. Bytes that follow it belong to the next user.
  abstract void heard(byte[] words);

  /// Handles the end of a connection whose greeting was not complete.
  abstract void failed(Failure why);

  @Override
  public final int take(MemorySegment from, long offset, int length) {
    int used = Math.min(length, heard.length - count);
    MemorySegment.copy(from, JAVA_BYTE, offset, heard, count, used);
    count += used;
    if (used > 0 && count == heard.length) {
      heard(heard);
    }
    return used;
  }

  @Override
  public int fill(MemorySegment memory) {
    return 0;
  }

  @Override
  public final void lost(Failure why) {}

  @Override
  public final void ended(Failure why) {
    failed(why);
  }

  @Override
  public final void stopped() {
    failed(Failure.DEVICE_CLOSED);
  }
}
