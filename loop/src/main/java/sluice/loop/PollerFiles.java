package sluice.loop;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EPERM;

import sluice.sys.Files;
import sluice.sys.Statx;

/// Refuses what `epoll(7)` would refuse, for mechanisms that find it out too late or not at all.
/// Used under the poller's lock.
final class PollerFiles {
  private final Statx status = new Statx();
  private long calls;

  /// @return 0; -EBADF for a number that is not open, -EPERM for a file that is always ready
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
      case Statx.S_IFREG, Statx.S_IFDIR, Statx.S_IFBLK, Statx.S_IFLNK -> -EPERM;
      default -> 0;
    };
  }

  long calls() {
    return calls;
  }
}
