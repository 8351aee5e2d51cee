package sluice.sys;

import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// An asymmetric memory barrier (`membarrier(2)`). An infrequent operation makes every running
/// thread of the registered processes execute a full barrier, so that the frequent operation on the
/// other side does not need one. This class is thread-safe.
///
/// In Dekker's algorithm, each side writes its own word and then reads the word of the other side,
/// which requires a full barrier on both sides. With this barrier, program order is sufficient for
/// the side that is executed frequently.
public final class Membarrier {
  static final int MEMBARRIER_CMD_GLOBAL_EXPEDITED = 2;
  static final int MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED = 4;

  /// True if this process is registered. It is registered once and remains registered until it
  /// terminates.
  public static final boolean REGISTERED =
      Kernel.SUPPORTED
          && Kernel.call(SystemCall.MEMBARRIER, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0)
              == 0;

  private Membarrier() {}

  /// Makes every running thread of the registered processes, including this process, execute a full
  /// barrier before this method returns. This takes a few microseconds.
  ///
  /// @return 0, or -EPERM or -ENOSYS if the kernel or a filter rejects the call
  public static int global() {
    return (int) Kernel.call(SystemCall.MEMBARRIER, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  }
}
