package sluice.sys.uring;

import sluice.sys.call.Layout;

/// A completion queue entry, 16 bytes.
///
/// The layout is read by [CompletionQueue]; the flags are for the code that gets a completion. Any
/// thread may use the constants.
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

  /// The upper 16 bits of the flags are a buffer id.
  public static final int F_BUFFER = 1;

  /// The operation stays armed and will complete again.
  public static final int F_MORE = 1 << 1;

  /// More data was in the socket when this completion was made.
  public static final int F_SOCK_NONEMPTY = 1 << 2;

  /// A zero-copy send has let go of its memory.
  public static final int F_NOTIF = 1 << 3;

  /// The buffer is not used up: the next receive goes on behind these bytes.
  public static final int F_BUF_MORE = 1 << 4;

  /// How far right a buffer id must be shifted.
  public static final int BUFFER_SHIFT = 16;

  private Cqe() {}
}
