package sluice.nfs.rpc;

import org.jspecify.annotations.Nullable;
import sluice.memory.Memory;
import sluice.memory.View;

/// A cursor over one message's XDR (RFC 4506). Owned by the thread that handles the message: the
/// loop's, which reads where the bytes landed, or a worker's, which reads a message that was kept.
///
/// What does not fit is an [XdrException].
public final class XdrReader {
  private @Nullable View view;
  private @Nullable Memory memory;
  private int base;
  private int position;
  private int limit;

  /// Reads `length` bytes of a view from `from` on.
  public XdrReader open(View bytes, int from, int length) {
    return open(bytes, from, length, null);
  }

  /// @param same the bytes of the view as memory that may be handed on until the call has been
  ///   answered; null when they may not
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

  /// Lets go of the message.
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

  /// 0 to 2^32 - 1.
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

  /// Variable-length, copied; `string<>` too.
  ///
  /// @param most longer than this is an [XdrException]
  public byte[] opaque(int most) {
    return fixed(length(most));
  }

  /// Copied, padding skipped.
  public byte[] fixed(int bytes) {
    int at = take(padded(bytes));
    byte[] copy = new byte[bytes];
    view().copyTo(at, copy, 0, bytes);
    return copy;
  }

  /// As [#opaque], into an array the caller has.
  ///
  /// @param into at least `most` bytes
  /// @return bytes copied
  int opaque(byte[] into, int most) {
    int bytes = length(most);
    int at = take(padded(bytes));
    view().copyTo(at, into, 0, bytes);
    return bytes;
  }

  /// Variable-length, not copied: the bytes of the message, good until the call has been answered.
  /// Only for workers: [#keeps] says so.
  ///
  /// @return a part of the message's memory, which the caller does not close
  public Memory content(int most) {
    Memory kept = memory;
    if (kept == null) {
      throw new IllegalStateException("content is for workers: on the loop's thread, pass");
    }
    int bytes = length(most);
    int at = take(padded(bytes));
    return kept.slice(at, bytes);
  }

  /// Whether [#content] may be asked for.
  boolean keeps() {
    return memory != null;
  }

  /// The length that comes next, of something of variable length; what follows is padded.
  ///
  /// @throws XdrException when it is more than `most`, or than is left
  public int length(int most) {
    int bytes = int32();
    if (bytes < 0 || bytes > most || bytes > remaining()) {
      throw new XdrException("a length is beyond its bound");
    }
    return bytes;
  }

  /// Four bytes at a place of the message, which is not moved.
  public int peek(int at) {
    if (at < 0 || at > limit - base - Integer.BYTES) {
      throw new XdrException("the message is too short");
    }
    return Integer.reverseBytes(view().getInt(base + at));
  }

  /// Bytes of the message before the next.
  public int position() {
    return position - base;
  }

  /// Goes back, or forth, to where [#position] was.
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

  /// Whether the next bytes are these; nothing is moved.
  boolean startsWith(byte[] expected) {
    return expected.length <= remaining() && view().startsWith(expected, position);
  }

  /// A sum over at most `most` of the bytes that are left: for telling calls apart, not for
  /// security.
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
