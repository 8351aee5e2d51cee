package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import sluice.sys.call.Layout;

/// The structure `struct mmsghdr`, which describes one of several messages that are sent or
/// received by a single system call. It has 64 bytes.
///
/// This class is a stateless flyweight. Its methods must be called by the owner of the memory, by
/// only one thread at a time. The first 56 bytes are a [MsgHeader].
///
/// ```
///  byte 0              56        60
///      +---------------+---------+---+
///      | msg_hdr       | msg_len | - |
///      +---------------+---------+---+ 64
/// ```
///
/// ```c
/// struct mmsghdr { struct msghdr msg_hdr; unsigned int msg_len; };
/// ```
public final class MultiMsgHeader {
  static final Layout LAYOUT = Layout.of("struct mmsghdr");
  static final int MSG_HDR = LAYOUT.array("msg_hdr", Long.BYTES, MsgHeader.SIZE / Long.BYTES);
  static final int MSG_LEN = LAYOUT.u32("msg_len");

  /// The size in bytes.
  public static final int SIZE = LAYOUT.sizeBytes();

  private MultiMsgHeader() {}

  /// Returns the number of bytes of this message that were sent or received.
  public static int length(MemorySegment header, long offset) {
    return header.get(JAVA_INT, offset + MSG_LEN);
  }
}
