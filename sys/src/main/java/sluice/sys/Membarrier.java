package sluice.sys;

import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// An asymmetric memory barrier (`membarrier(2)`): a rare operation makes every running thread of
/// the registered processes execute a full barrier, so that the frequent operation on the other
/// side needs none. Safe for use by any thread.
///
/// In Dekker's problem, each side writes its own word and then reads the other's, which needs a
/// full barrier on both sides. With this barrier, the frequent side only needs program order.
public final class Membarrier {
  static final int MEMBARRIER_CMD_GLOBAL_EXPEDITED = 2;
  static final int MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED = 4;

  /// True if this process is registered, which happens once for its whole life.
  public static final boolean REGISTERED =
      Kernel.SUPPORTED
          && Kernel.call(SystemCall.MEMBARRIER, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0)
              == 0;

  private Membarrier() {}

  /// Makes each running thread of the registered processes, including this one, execute a full
  /// barrier, and then returns. Takes some microseconds.
  ///
  /// @return 0, or -EPERM or -ENOSYS if the kernel or a filter rejects it
  public static int global() {
    return (int) Kernel.call(SystemCall.MEMBARRIER, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  }
}
