package sluice.sys.xdp;

import sluice.sys.Files;
import sluice.sys.SysException;
import sluice.sys.call.Kernel;
import sluice.sys.call.SystemCall;

/// The network namespace of a thread, which determines the interfaces that are visible to its new
/// sockets. Each thread has its own namespace, so these methods must be called only by platform
/// threads. Sockets remain in the namespace in which they were opened.
public final class NetNamespace {
  static final int CLONE_NEWNET = 0x4000_0000;

  private NetNamespace() {}

  /// Opens the namespace of the calling thread for later use with [#enter].
  ///
  /// @return a descriptor
  public static int open() throws SysException {
    String name = "/proc/thread-self/ns/net";
    int fd = Files.openat(Files.AT_FDCWD, name, Files.O_RDONLY, 0);
    return (int) SysException.check(fd, "openat", name);
  }

  /// Moves the calling thread to a new, empty namespace. The namespace is deleted when it has no
  /// thread, socket or descriptor any more.
  ///
  /// @throws SysException EPERM if the thread is not root in the current namespace
  public static void unshare() throws SysException {
    long _ =
        SysException.check(
            Kernel.call(SystemCall.UNSHARE, CLONE_NEWNET), "unshare", "CLONE_NEWNET");
  }

  /// Moves the calling thread to the given namespace.
  ///
  /// @param fd the result of [#open], or the descriptor of a file below `/run/netns`
  public static void enter(int fd) throws SysException {
    long _ = SysException.check(Kernel.call(SystemCall.SETNS, fd, CLONE_NEWNET), "setns", fd);
  }
}
