package sluice.sys.uring;

import sluice.sys.call.Layout;

/// The layout of a submission queue entry, which has 64 bytes, or 128 bytes in a ring that was
/// opened with [IoUring#SETUP_SQE128].
///
/// This class only describes the layout. Entries are written by [SubmissionQueue] on the thread
/// that owns the ring.
///
/// ```
///  byte  0      1      2        4            8                16
///       +------+------+--------+------------+----------------+----------------+
///    0  |opcode|flags | ioprio |     fd     |  off, addr2    |      addr      |
///       +------+------+--------+------------+----------------+----------------+
///   24  |     len     |  op_flags (rw_flags)|   user_data    |
///       +-------------+---------------------+----------------+
///   40  | buf_index, buf_group | personality|   file_index   |
///       +----------------------+------------+----------------+
///   48  |     addr3     |      __pad2       |   or cmd, which extends to byte 128
///       +---------------+-------------------+
/// ```
///
/// ```c
/// struct io_uring_sqe {
///   __u8 opcode; __u8 flags; __u16 ioprio; __s32 fd;
///   union { __u64 off; __u64 addr2; struct { __u32 cmd_op; __u32 __pad1; }; }; __u64 addr;
///   __u32 len;
///   union { __u32 rw_flags, msg_flags, accept_flags, poll32_events, timeout_flags, … };
///   __u64 user_data;
///   union { __u16 buf_index; __u16 buf_group; }; __u16 personality;
///   union { __s32 splice_fd_in; __u32 file_index; };
///   union { struct { __u64 addr3; __u64 __pad2[1]; }; __u8 cmd[0]; };
/// };
/// ```
public final class Sqe {
  static final Layout LAYOUT = Layout.of("struct io_uring_sqe");
  static final int OPCODE = LAYOUT.u8("opcode");
  static final int FLAGS = LAYOUT.u8("flags");
  static final int IOPRIO = LAYOUT.u16("ioprio");
  static final int FD = LAYOUT.u32("fd");
  static final int OFF = LAYOUT.u64("off");
  static final int ADDR = LAYOUT.u64("addr");
  static final int LEN = LAYOUT.u32("len");
  static final int OP_FLAGS = LAYOUT.u32("rw_flags");
  static final int USER_DATA = LAYOUT.u64("user_data");
  static final int BUF_GROUP = LAYOUT.u16("buf_group");
  static final int PERSONALITY = LAYOUT.u16("personality");
  static final int FILE_INDEX = LAYOUT.u32("file_index");
  static final int ADDR3 = LAYOUT.u64("addr3");
  static final int PAD2 = LAYOUT.u64("__pad2");
  static final int SIZE = LAYOUT.sizeBytes();

  /// The layout of an entry that contains a command for a file.
  static final Layout COMMAND_LAYOUT = Layout.of("struct io_uring_sqe");

  static final int CMD_OP;
  static final int CMD;

  static {
    COMMAND_LAYOUT.padTo(OFF);
    CMD_OP = COMMAND_LAYOUT.u32("cmd_op");
    COMMAND_LAYOUT.padTo(ADDR3);
    CMD = COMMAND_LAYOUT.array("cmd", 1, 0);
    COMMAND_LAYOUT.padTo(SIZE);
  }

  /// The bits of `flags`.
  static final int IOSQE_FIXED_FILE = 1;

  static final int IOSQE_IO_LINK = 1 << 2;
  static final int IOSQE_BUFFER_SELECT = 1 << 5;
  static final int IOSQE_CQE_SKIP_SUCCESS = 1 << 6;

  /// The bits of `ioprio` for accept and receive.
  static final int IORING_ACCEPT_MULTISHOT = 1;

  static final int IORING_RECV_MULTISHOT = 1 << 1;

  /// A bit of `len` for a poll, which remains armed if the bit is set.
  static final int IORING_POLL_ADD_MULTI = 1;

  /// The value of `addr` for a message that contains data instead of a descriptor.
  static final int IORING_MSG_DATA = 0;

  private Sqe() {}
}
