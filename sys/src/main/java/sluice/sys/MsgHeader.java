package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;
import sluice.sys.call.Ranges;

/// The structure `struct msghdr`, which contains the name, the ranges and the flags of a message in
/// 56 bytes.
///
/// This class is a stateless flyweight. Its methods must be called by the owner of the memory, by
/// only one thread at a time. Control messages are not interpreted.
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
  /// @param header the memory of the header, aligned to 8 bytes
  /// @param vector the ranges, which were filled by [IoVec#set]
  /// @param count the number of ranges, 0 to [IoVec#LIMIT]
  public static void set(
      MemorySegment header, long offset, MemorySegment vector, long vectorOffset, int count) {
    long ranges = Ranges.readable(vector, vectorOffset, (long) count * IoVec.SIZE);
    for (long at = 0; at < SIZE; at += Long.BYTES) { // a slice to fill would be an allocation
      header.set(JAVA_LONG, offset + at, 0);
    }
    header.set(JAVA_LONG, offset + MSG_IOV, ranges);
    header.set(JAVA_LONG, offset + MSG_IOVLEN, count);
  }

  /// Sets the target address of the message, or the memory that receives the address of the sender.
  ///
  /// @param address an address that was encoded by [SocketAddresses], or memory that is large
  ///   enough for one
  public static void name(
      MemorySegment header, long offset, MemorySegment address, long addressOffset, int length) {
    header.set(JAVA_LONG, offset + MSG_NAME, Ranges.readable(address, addressOffset, length));
    header.set(JAVA_INT, offset + MSG_NAMELEN, length);
  }

  /// Sets the control messages to send, or the memory that receives them.
  ///
  /// @param control the memory of the control messages, aligned to 8 bytes
  public static void control(
      MemorySegment header, long offset, MemorySegment control, long controlOffset, int length) {
    header.set(JAVA_LONG, offset + MSG_CONTROL, Ranges.readable(control, controlOffset, length));
    header.set(JAVA_LONG, offset + MSG_CONTROLLEN, length);
  }

  /// Returns the length of the control messages that were received.
  public static int controlLength(MemorySegment header, long offset) {
    return (int) header.get(JAVA_LONG, offset + MSG_CONTROLLEN);
  }

  /// Returns the length of the sender's address that was received.
  public static int nameLength(MemorySegment header, long offset) {
    return header.get(JAVA_INT, offset + MSG_NAMELEN);
  }

  /// Returns the flags of the message that was received, such as `MSG_TRUNC`.
  public static int flags(MemorySegment header, long offset) {
    return header.get(JAVA_INT, offset + MSG_FLAGS);
  }
}
