package sluice.sys.uring;

import sluice.sys.call.Layout;

/// A completion queue entry, 16 bytes.
///
/// [CompletionQueue] reads the layout; the flags are for the code that receives a completion. The
/// constants are safe for use by any thread.
///
/// ```
///  byte 0          8       12      16
///      +-----------+-------+-------+
///      | user_data |  res  | flags |
///      +-----------+-------+-------+
/// ```
///
/// ```c
/// struct io_uring_cqe { __u64 user_data; __s32 res; __u32 flags; };
/// ```
public final class Cqe {
  static final Layout LAYOUT = Layout.of("struct io_uring_cqe");
  static final int USER_DATA = LAYOUT.u64("user_data");
  static final int RES = LAYOUT.u32("res");
  static final int FLAGS = LAYOUT.u32("flags");
  static final int SIZE = LAYOUT.sizeBytes();

  /// A flag: the upper 16 bits of the flags are a buffer id.
  public static final int F_BUFFER = 1;

  /// A flag: the operation stays armed and will complete again.
  public static final int F_MORE = 1 << 1;

  /// A flag: the socket held more data when this completion was made.
  public static final int F_SOCK_NONEMPTY = 1 << 2;

  /// A flag: a zero-copy send no longer uses its memory.
  public static final int F_NOTIF = 1 << 3;

  /// A flag: the buffer is not used up; the next receive continues behind these bytes.
  public static final int F_BUF_MORE = 1 << 4;

  /// The number of bits by which the flags are shifted right to get a buffer id.
  public static final int BUFFER_SHIFT = 16;

  private Cqe() {}
}
