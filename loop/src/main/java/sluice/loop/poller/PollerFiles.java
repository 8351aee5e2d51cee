package sluice.loop.poller;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EPERM;

import sluice.sys.Epoll;
import sluice.sys.Files;
import sluice.sys.Statx;
import sluice.sys.SysException;

/// Rejects the files that `epoll(7)` would reject, for mechanisms that detect them too late or not
/// at all. Used under the poller's lock.
final class PollerFiles {
  private final Statx status = new Statx();
  private long calls;

  /// Checks a descriptor.
  ///
  /// @return 0, or -EBADF if the descriptor is not open, or -EPERM if the file cannot be polled
  int check(int fd) {
    if (fd < 0) {
      return -EBADF;
    }
    calls++;
    int result = Files.statx(fd, Statx.STATX_TYPE, status);
    if (result < 0) {
      return result;
    }
    return switch (status.mode() & Statx.S_IFMT) {
      case Statx.S_IFREG, Statx.S_IFDIR, Statx.S_IFBLK, Statx.S_IFLNK -> asEpollSays(fd, -EPERM);
      case Statx.S_IFCHR -> asEpollSays(fd, 0);
      default -> 0;
    };
  }

  /// Checks a file with epoll. Some files of its type can be polled, such as a terminal and
  /// `/proc/self/mounts`, and others cannot, such as `/dev/null`.
  ///
  /// @param otherwise the result if epoll is not available
  private int asEpollSays(int fd, int otherwise) {
    calls += 3;
    try (Epoll epoll = Epoll.create()) {
      int result = epoll.control(Epoll.EPOLL_CTL_ADD, fd, 0, 0);
      return result == -EPERM || result == 0 ? result : otherwise;
    } catch (SysException e) {
      return otherwise;
    }
  }

  long calls() {
    return calls;
  }
}
