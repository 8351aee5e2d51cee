package sluice.sys;

import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// A barrier between threads that one side pays for all (`membarrier(2)`): a rare operation makes
/// every running thread of the registered processes pass a full barrier, so that the frequent
/// operation on the other side needs none. Any thread may call.
///
/// Dekker's problem, in which each side writes its own word and then reads the other's, asks for a
/// full barrier on both sides; with this one, the frequent side needs the order of the program
/// alone.
public final class Membarrier {
  static final int MEMBARRIER_CMD_GLOBAL_EXPEDITED = 2;
  static final int MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED = 4;

  /// Whether this process takes part. Registered once, for as long as it lives.
  public static final boolean REGISTERED =
      Kernel.SUPPORTED
          && Kernel.call(SystemCall.MEMBARRIER, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0)
              == 0;

  private Membarrier() {}

  /// Returns when each running thread of the registered processes, this one among them, has passed
  /// a full barrier. Some microseconds.
  ///
  /// @return 0, or -EPERM or -ENOSYS where the kernel or a filter refuses it
  public static int global() {
    return (int) Kernel.call(SystemCall.MEMBARRIER, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  }
}
