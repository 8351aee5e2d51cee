package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;

/// `struct msghdr`: name, ranges and flags of a message, 56 bytes.
///
/// A stateless flyweight, called by the owner of the memory, from one thread at a time. It does not
/// interpret control messages.
///
/// ```
///  byte 0          8             12  16       24          32
///      +-----------+-------------+---+--------+-----------+
///      | msg_name  | msg_namelen | - | msg_iov| msg_iovlen|
///      +-----------+-------------+---+--------+-----------+
///   32 | msg_control | msg_controllen | msg_flags | -     |
///      +-------------+----------------+-----------+-------+ 56
/// ```
///
/// ```c
/// struct msghdr { void *msg_name; socklen_t msg_namelen; struct iovec *msg_iov; size_t msg_iovlen;
///                 void *msg_control; size_t msg_controllen; int msg_flags; };
/// ```
public final class MsgHeader {
  static final Layout LAYOUT = Layout.of("struct msghdr");
  static final int MSG_NAME = LAYOUT.u64("msg_name");
  static final int MSG_NAMELEN = LAYOUT.u32("msg_namelen");
  static final int MSG_IOV = LAYOUT.u64("msg_iov");
  static final int MSG_IOVLEN = LAYOUT.u64("msg_iovlen");
  static final int MSG_CONTROL = LAYOUT.u64("msg_control");
  static final int MSG_CONTROLLEN = LAYOUT.u64("msg_controllen");
  static final int MSG_FLAGS = LAYOUT.u32("msg_flags");

  /// The size in bytes.
  public static final int SIZE = LAYOUT.sizeBytes();

  private MsgHeader() {}

  /// Initializes a header with `count` ranges and without a name.
  ///
  /// @param header aligned to 8 bytes
  /// @param vector filled with [IoVec#set]
  /// @param count 0 to [IoVec#LIMIT]
  public static void set(
      MemorySegment header, long offset, MemorySegment vector, long vectorOffset, int count) {
    long ranges = Ranges.readable(vector, vectorOffset, (long) count * IoVec.SIZE);
    for (long at = 0; at < SIZE; at += Long.BYTES) { // a slice to fill would be an allocation
      header.set(JAVA_LONG, offset + at, 0);
    }
    header.set(JAVA_LONG, offset + MSG_IOV, ranges);
    header.set(JAVA_LONG, offset + MSG_IOVLEN, count);
  }

  /// Sets the target of the message, or the memory that receives the sender's address.
  ///
  /// @param address bytes made by [SocketAddresses], or room for them
  public static void name(
      MemorySegment header, long offset, MemorySegment address, long addressOffset, int length) {
    header.set(JAVA_LONG, offset + MSG_NAME, Ranges.readable(address, addressOffset, length));
    header.set(JAVA_INT, offset + MSG_NAMELEN, length);
  }

  /// Sets the control messages to send, or the memory that receives them.
  ///
  /// @param control aligned to 8 bytes
  public static void control(
      MemorySegment header, long offset, MemorySegment control, long controlOffset, int length) {
    header.set(JAVA_LONG, offset + MSG_CONTROL, Ranges.readable(control, controlOffset, length));
    header.set(JAVA_LONG, offset + MSG_CONTROLLEN, length);
  }

  /// Returns the length of the control messages after a receive.
  public static int controlLength(MemorySegment header, long offset) {
    return (int) header.get(JAVA_LONG, offset + MSG_CONTROLLEN);
  }

  /// Returns the length of the sender's address after a receive.
  public static int nameLength(MemorySegment header, long offset) {
    return header.get(JAVA_INT, offset + MSG_NAMELEN);
  }

  /// Returns the flags after a receive, such as `MSG_TRUNC`.
  public static int flags(MemorySegment header, long offset) {
    return header.get(JAVA_INT, offset + MSG_FLAGS);
  }
}
