package sluice.nfs.rpc;

import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.View;

/// A cursor over the XDR (RFC 4506) of one message. Instances are owned by the thread that
/// processes the message. The loop's thread reads from the receive buffer, and a worker reads from
/// a [MessageBuffer].
///
/// All methods throw [XdrException] if the message is too short or a value is not valid.
public final class XdrReader {
  private @Nullable View view;
  private @Nullable Memory memory;
  private int base;
  private int position;
  private int limit;

  /// Starts reading `length` bytes of a view at position `from`.
  public XdrReader open(View bytes, int from, int length) {
    return open(bytes, from, length, null);
  }

  /// Starts reading `length` bytes of a view at position `from`.
  ///
  /// @param same the bytes of the view as memory that can be passed on until the call has been
  ///   answered, or null if they cannot be passed on
  XdrReader open(View bytes, int from, int length, @Nullable Memory same) {
    if ((from | length) < 0 || from > bytes.length() - length) {
      throw new IndexOutOfBoundsException(
          "[" + from + ", +" + length + ") of a view of " + bytes.length() + " bytes");
    }
    view = bytes;
    memory = same;
    base = from;
    position = from;
    limit = from + length;
    return this;
  }

  /// Releases the reference to the message.
  void close() {
    view = null;
    memory = null;
    base = 0;
    position = 0;
    limit = 0;
  }

  public int int32() {
    int at = take(Integer.BYTES);
    return Integer.reverseBytes(view().getInt(at));
  }

  /// Reads an unsigned number between 0 and 2^32 - 1.
  public long uint32() {
    return int32() & 0xffff_ffffL;
  }

  public long int64() {
    int at = take(Long.BYTES);
    return Long.reverseBytes(view().getLong(at));
  }

  public boolean bool() {
    int value = int32();
    if ((value & ~1) != 0) {
      throw new XdrException("a boolean is neither 0 nor 1");
    }
    return value != 0;
  }

  /// Reads a variable-length opaque or a `string<>` into a new array.
  ///
  /// @param most the maximum length
  public byte[] opaque(int most) {
    return fixed(length(most));
  }

  /// Reads a fixed-length opaque into a new array and skips its padding.
  public byte[] fixed(int bytes) {
    int at = take(padded(bytes));
    byte[] copy = new byte[bytes];
    view().copyTo(at, copy, 0, bytes);
    return copy;
  }

  /// Reads a variable-length opaque into an array.
  ///
  /// @param into an array of at least `most` bytes
  /// @return the number of bytes that were read
  int opaque(byte[] into, int most) {
    int bytes = length(most);
    int at = take(padded(bytes));
    view().copyTo(at, into, 0, bytes);
    return bytes;
  }

  /// Reads a variable-length opaque without copying it. The memory is valid until the call has been
  /// answered. This method may be called only by workers, see [#keeps].
  ///
  /// @return a slice of the memory of the message, which the caller must not close
  public Memory content(int most) {
    Memory kept = memory;
    if (kept == null) {
      throw new IllegalStateException("content is for workers: on the loop's thread, pass");
    }
    int bytes = length(most);
    int at = take(padded(bytes));
    return kept.slice(at, bytes);
  }

  /// Returns true if [#content] may be called.
  boolean keeps() {
    return memory != null;
  }

  /// Reads the length of a variable-length item, which is followed by its padded content.
  ///
  /// @throws XdrException if the length exceeds `most` or the number of remaining bytes
  public int length(int most) {
    int bytes = int32();
    if (bytes < 0 || bytes > most || bytes > remaining()) {
      throw new XdrException("a length is beyond its bound");
    }
    return bytes;
  }

  /// Returns the four bytes at the given position without moving the cursor.
  public int peek(int at) {
    if (at < 0 || at > limit - base - Integer.BYTES) {
      throw new XdrException("the message is too short");
    }
    return Integer.reverseBytes(view().getInt(base + at));
  }

  /// Returns the position of the cursor in the message.
  public int position() {
    return position - base;
  }

  /// Moves the cursor to a position that was returned by [#position].
  public void position(int at) {
    if (at < 0 || at > limit - base) {
      throw new XdrException("the message is too short");
    }
    position = base + at;
  }

  public int remaining() {
    return limit - position;
  }

  public void skip(int bytes) {
    take(padded(bytes));
  }

  /// Returns true if the message continues with the expected bytes. This method does not move the
  /// cursor.
  boolean startsWith(byte[] expected) {
    return expected.length <= remaining() && view().startsWith(expected, position);
  }

  /// Returns a checksum of the next bytes, but at most `most` bytes. It is suitable for
  /// distinguishing calls, but it is not cryptographic.
  int checksum(int most) {
    int end = position + Math.min(most, remaining());
    long sum = 0x9E37_79B9_7F4A_7C15L ^ remaining();
    int at = position;
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      sum = mix(sum ^ view().getLong(at));
    }
    for (; at < end; at++) {
      sum = mix(sum ^ view().get(at));
    }
    return (int) (sum ^ sum >>> 32);
  }

  private static long mix(long value) {
    long mixed = value * 0xBF58_476D_1CE4_E5B9L;
    return mixed ^ mixed >>> 29;
  }

  static int padded(int bytes) {
    if (bytes < 0 || bytes > Integer.MAX_VALUE - 3) {
      throw new XdrException("a length is beyond its bound");
    }
    return bytes + 3 & ~3;
  }

  private int take(int bytes) {
    int at = position;
    if (bytes > limit - at) {
      throw new XdrException("the message is too short");
    }
    position = at + bytes;
    return at;
  }

  private View view() {
    View bytes = view;
    if (bytes == null) {
      throw new IllegalStateException("no message is open");
    }
    return bytes;
  }
}
