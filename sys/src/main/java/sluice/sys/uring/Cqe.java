package sluice.sys.uring;

import sluice.sys.call.Layout;

/// The layout of a completion queue entry, which has 16 bytes.
///
/// The layout is used by [CompletionQueue], and the flags are used by code that receives
/// completions. The constants are thread-safe.
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

  /// A flag indicating that the upper 16 bits of the flags contain a buffer id.
  public static final int F_BUFFER = 1;

  /// A flag indicating that the operation remains armed and will complete again.
  public static final int F_MORE = 1 << 1;

  /// A flag indicating that the socket contained more data when the completion was created.
  public static final int F_SOCK_NONEMPTY = 1 << 2;

  /// A flag indicating that a zero-copy send no longer uses its memory.
  public static final int F_NOTIF = 1 << 3;

  /// A flag indicating that the buffer has not been consumed. The next receive continues after
  /// these bytes.
  public static final int F_BUF_MORE = 1 << 4;

  /// The number of bits by which the flags must be shifted right in order to obtain the buffer id.
  public static final int BUFFER_SHIFT = 16;

  private Cqe() {}
}
