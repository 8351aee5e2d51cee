package sluice.vi.local;

import java.io.IOException;
import sluice.sys.Files;
import sluice.sys.Mapping;
import sluice.sys.Statx;
import sluice.sys.SysException;

/// Creates, opens and maps the memory file of a connection. Stateless, so any thread may call it.
///
/// The file is sealed against growing and shrinking before its number is sent to a peer, because
/// accessing a page that has been removed would terminate this process with a signal.
final class SharedMemory {
  private static final int SEALS = Files.F_SEAL_GROW | Files.F_SEAL_SHRINK | Files.F_SEAL_SEAL;

  private SharedMemory() {}

  /// Creates a sealed file.
  ///
  /// @return the descriptor, which is owned by the caller
  static int create(int ringBytes) throws IOException {
    long bytes = RingLayout.totalBytes(ringBytes);
    int fd = Files.memfd("sluice-vi");
    SysException.check(fd, "memfd_create", "sluice-vi");
    try {
      SysException.check(Files.ftruncate(fd, bytes), "ftruncate", fd, bytes);
      SysException.check(Files.addSeals(fd, SEALS), "fcntl", fd, "F_ADD_SEALS", SEALS);
      return fd;
    } catch (SysException e) {
      int _ = Files.close(fd);
      throw e;
    }
  }

  static Mapping map(int fd, int ringBytes) throws SysException {
    return Mapping.shared(fd, 0, RingLayout.totalBytes(ringBytes), true);
  }

  /// Opens and maps the file of another process, or of this one, without trusting the peer's
  /// description of it.
  static Mapping open(int pid, Hello hello) throws IOException {
    String path = "/proc/" + pid + "/fd/" + hello.fd();
    // Opening must not block, because the number may refer to a pipe.
    int flags = Files.O_RDWR | Files.O_NONBLOCK | Files.O_CLOEXEC;
    int fd = Files.openat(Files.AT_FDCWD, path, flags, 0);
    SysException.check(fd, "openat", path, flags);
    try {
      int seals = Files.seals(fd);
      if (seals < 0 || (seals & SEALS) != SEALS) {
        throw new RingViolation(
            path + " is no memory file that was sealed against changes of size");
      }
      Statx status = new Statx();
      SysException.check(Files.statx(fd, Statx.STATX_SIZE, status), "statx", fd);
      if (status.size() != RingLayout.totalBytes(hello.ringBytes())) {
        throw new RingViolation(path + " has " + status.size() + " bytes, other than announced");
      }
      return map(fd, hello.ringBytes());
    } finally {
      int _ = Files.close(fd);
    }
  }
}
