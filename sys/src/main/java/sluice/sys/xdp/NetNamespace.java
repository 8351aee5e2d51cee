package sluice.sys.xdp;

import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The network namespace of a thread, which determines the interfaces that its new sockets see.
/// Each thread has its own setting, so only platform threads may call these methods. Sockets stay
/// in the namespace in which they were opened.
public final class NetNamespace {
  static final int CLONE_NEWNET = 0x4000_0000;

  private NetNamespace() {}

  /// Opens the namespace of the calling thread, for [#enter].
  ///
  /// @return a descriptor
  public static int open() throws SysException {
    String name = "/proc/thread-self/ns/net";
    int fd = Files.openat(Files.AT_FDCWD, name, Files.O_RDONLY, 0);
    return (int) SysException.check(fd, "openat", name);
  }

  /// Moves the calling thread into a new, empty namespace. The namespace ends when it has no
  /// thread, socket or descriptor any more.
  ///
  /// @throws SysException EPERM: not root of the current namespace
  public static void unshare() throws SysException {
    long _ =
        SysException.check(
            Kernel.call(SystemCall.UNSHARE, CLONE_NEWNET), "unshare", "CLONE_NEWNET");
  }

  /// Moves the calling thread into a namespace.
  ///
  /// @param fd the result of [#open], or the descriptor of a file below `/run/netns`
  public static void enter(int fd) throws SysException {
    long _ = SysException.check(Kernel.call(SystemCall.SETNS, fd, CLONE_NEWNET), "setns", fd);
  }
}
