package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import sluice.sys.call.Arch;
import sluice.sys.call.Kernel;
import sluice.sys.call.Paths;
import sluice.sys.call.Ranges;
import sluice.sys.call.SystemCall;

/// System calls on files.
///
/// This class is stateless and thread-safe. Each descriptor has a single owner that is responsible
/// for closing it. All methods return the result of the kernel or a negative errno instead of
/// throwing an exception, because a missing file is a common case in a server ([SysException#check]
/// converts the result to an exception). Names are bytes, as in Linux, and the variants with
/// strings encode them in UTF-8. If a name contains a NUL, the result is -EINVAL.
///
/// All descriptors are opened with close-on-exec.
public final class Files {
  /// The directory descriptor that represents the working directory.
  public static final int AT_FDCWD = -100;

  public static final int AT_SYMLINK_NOFOLLOW = 0x100;
  public static final int AT_EMPTY_PATH = 0x1000;
  public static final int AT_STATX_FORCE_SYNC = 0x2000;

  /// A flag of [#statx] that returns cached attributes without sending a request to a server.
  public static final int AT_STATX_DONT_SYNC = 0x4000;

  public static final int O_RDONLY = 0;
  public static final int O_WRONLY = 1;
  public static final int O_RDWR = 2;
  public static final int O_CREAT = 0x40;
  public static final int O_EXCL = 0x80;
  public static final int O_NOCTTY = 0x100;
  public static final int O_TRUNC = 0x200;
  public static final int O_APPEND = 0x400;
  public static final int O_NONBLOCK = 0x800;
  public static final int O_NOATIME = 0x40000;
  public static final int O_CLOEXEC = 0x80000;
  public static final int O_PATH = 0x200000;
  public static final int O_DIRECT = OpenFlags.direct(Arch.current());
  public static final int O_DIRECTORY = OpenFlags.directory(Arch.current());
  public static final int O_NOFOLLOW = OpenFlags.noFollow(Arch.current());

  public static final int RESOLVE_NO_XDEV = 1;
  public static final int RESOLVE_NO_MAGICLINKS = 2;
  public static final int RESOLVE_NO_SYMLINKS = 4;
  public static final int RESOLVE_BENEATH = 8;
  public static final int RESOLVE_IN_ROOT = 0x10;
  public static final int RESOLVE_CACHED = 0x20;

  public static final int RWF_NOWAIT = 8;

  public static final int SPLICE_F_MOVE = 1;
  public static final int SPLICE_F_NONBLOCK = 2;
  public static final int SPLICE_F_MORE = 4;

  public static final int POSIX_FADV_NORMAL = 0;
  public static final int POSIX_FADV_RANDOM = 1;
  public static final int POSIX_FADV_SEQUENTIAL = 2;
  public static final int POSIX_FADV_WILLNEED = 3;
  public static final int POSIX_FADV_DONTNEED = 4;

  static final int F_GETFL = 3;
  static final int F_SETFL = 4;
  static final int F_DUPFD_CLOEXEC = 1030;
  static final int F_ADD_SEALS = 1033;
  static final int F_GET_SEALS = 1034;
  static final int MFD_CLOEXEC = 1;
  static final int MFD_ALLOW_SEALING = 2;

  public static final int F_SEAL_SEAL = 1;
  public static final int F_SEAL_SHRINK = 2;
  public static final int F_SEAL_GROW = 4;

  public static final int LOCK_SH = 1;
  public static final int LOCK_EX = 2;
  public static final int LOCK_NB = 4;
  public static final int LOCK_UN = 8;

  static final long BLKGETSIZE64 = 0x80081272L;
  static final long BLKSSZGET = 0x1268;

  private static final int SEEK_SET = 0;
  static final int SEEK_HOLE = 4;
  private static final byte[] EMPTY = {};

  private Files() {}

  /// Opens a file with restrictions on the resolution of its path.
  ///
  /// @param directory the descriptor against which relative names are resolved, or [#AT_FDCWD]
  /// @param flags `O_` bits
  /// @param mode the permissions of a file that is created, otherwise 0
  /// @param resolve `RESOLVE_` bits
  /// @return the descriptor, or -ENOENT, -EXDEV (the path leaves the directory), -ELOOP (the path
  ///   contains a symbolic link that is not allowed), -EAGAIN (the call should be retried), …
  public static int openat2(int directory, byte[] name, int flags, int mode, int resolve) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      if (text == null) {
        return -Errno.EINVAL;
      }
      MemorySegment how = OpenHow.of(arena, flags | O_CLOEXEC, mode, resolve);
      return (int)
          Kernel.callWithBuffer(SystemCall.OPENAT2, directory, text, how.address(), OpenHow.SIZE);
    }
  }

  /// Opens a file with restrictions on the resolution of its path. The name is encoded in UTF-8.
  public static int openat2(int directory, String name, int flags, int mode, int resolve) {
    return openat2(directory, Paths.bytes(name), flags, mode, resolve);
  }

  /// Opens a file.
  ///
  /// @param flags `O_` bits
  /// @param mode the permissions of a file that is created, otherwise 0
  public static int openat(int directory, String name, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, Paths.bytes(name));
      if (text == null) {
        return -Errno.EINVAL;
      }
      return (int)
          Kernel.callWithBuffer(SystemCall.OPENAT, directory, text, flags | O_CLOEXEC, mode);
    }
  }

  /// Closes a descriptor. The descriptor is closed regardless of the result.
  public static int close(int fd) {
    return (int) Kernel.call(SystemCall.CLOSE, fd);
  }

  /// Reads the attributes of the file with the given name.
  ///
  /// @param flags `AT_` bits
  /// @param mask the requested `STATX_` bits
  public static int statx(int directory, byte[] name, int flags, int mask, Statx into) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, name);
      if (text == null) {
        return -Errno.EINVAL;
      }
      return (int)
          Kernel.callWithBuffer(
              SystemCall.STATX, directory, text, flags, mask, into.segment().address(), 0);
    } finally {
      Reference.reachabilityFence(into);
    }
  }

  /// Reads the attributes of the file with the given name, which is encoded in UTF-8.
  public static int statx(int directory, String name, int flags, int mask, Statx into) {
    return statx(directory, Paths.bytes(name), flags, mask, into);
  }

  /// Reads the attributes of the file with the given name without allocating memory.
  ///
  /// @param name a C string in native memory
  /// @param flags `AT_` bits
  /// @param mask the requested `STATX_` bits
  public static int statx(int directory, MemorySegment name, int flags, int mask, Statx into) {
    return (int)
        Kernel.callWithBuffer(
            SystemCall.STATX, directory, name, flags, mask, into.segment().address(), 0);
  }

  /// Reads the attributes of an open file.
  public static int statx(int fd, int mask, Statx into) {
    return statx(fd, EMPTY, AT_EMPTY_PATH, mask, into);
  }

  /// Reads at the given position without changing the position of the descriptor.
  ///
  /// @return the number of bytes read, 0 at the end of the file, or a negative errno
  public static int pread(int fd, MemorySegment segment, long offset, int length, long position) {
    long address = Ranges.writable(segment, offset, length);
    return (int) Kernel.callHolding(segment, SystemCall.PREAD64, fd, address, length, position);
  }

  /// Writes at the given position without changing the position of the descriptor.
  ///
  /// @return the number of bytes written, or a negative errno
  public static int pwrite(int fd, MemorySegment segment, long offset, int length, long position) {
    long address = Ranges.readable(segment, offset, length);
    return (int) Kernel.callHolding(segment, SystemCall.PWRITE64, fd, address, length, position);
  }

  /// Reads from a stream, or at the current position of a file.
  public static int read(int fd, MemorySegment segment, long offset, int length) {
    long address = Ranges.writable(segment, offset, length);
    return (int) Kernel.callHolding(segment, SystemCall.READ, fd, address, length);
  }

  /// Writes to a stream, or at the current position of a file.
  public static int write(int fd, MemorySegment segment, long offset, int length) {
    long address = Ranges.readable(segment, offset, length);
    return (int) Kernel.callHolding(segment, SystemCall.WRITE, fd, address, length);
  }

  /// Writes several ranges with a single system call to a stream, or at the current position of a
  /// file.
  ///
  /// @param vector the entries, which were filled by [IoVec]; the caller must keep their buffers
  ///   until this method returns
  /// @param count the number of entries, at most [IoVec#LIMIT]
  /// @return the number of bytes written, or a negative errno
  public static int writev(int fd, MemorySegment vector, int count) {
    long address = Ranges.readable(vector, 0, (long) count * IoVec.SIZE);
    return (int) Kernel.callHolding(vector, SystemCall.WRITEV, fd, address, count);
  }

  /// Writes several ranges like [#writev], but at the given position and without changing the
  /// position of the descriptor.
  public static int pwritev(int fd, MemorySegment vector, int count, long position) {
    long address = Ranges.readable(vector, 0, (long) count * IoVec.SIZE);
    return (int) Kernel.callHolding(vector, SystemCall.PWRITEV, fd, address, count, position);
  }

  /// Reads cached bytes at the given position without waiting for the device.
  ///
  /// @param vector scratch memory for one entry of [IoVec], which is owned by the caller
  /// @return the number of bytes read, 0 at the end of the file, -EAGAIN if nothing is cached, or
  ///   -EOPNOTSUPP if the file system does not support the operation
  public static int preadNoWait(
      int fd, MemorySegment vector, MemorySegment segment, long offset, int length, long position) {
    Ranges.writable(segment, offset, length);
    IoVec.set(vector, 0, 0, segment, offset, length);
    try {
      long address = Ranges.readable(vector, 0, IoVec.SIZE);
      return (int)
          Kernel.callHolding(segment, SystemCall.PREADV2, fd, address, 1, position, 0, RWF_NOWAIT);
    } finally {
      Reference.reachabilityFence(vector);
    }
  }

  /// Transfers bytes from a file to a socket or pipe without copying them through this process.
  ///
  /// @param position the position in the input file, whose own position is not changed
  /// @return the number of bytes transferred, 0 at the end of the file, or -EAGAIN, …
  public static long sendfile(int output, int input, long position, long count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment offset = arena.allocateFrom(JAVA_LONG, position);
      return Kernel.call(SystemCall.SENDFILE, output, input, offset.address(), count);
    }
  }

  /// Transfers bytes between a pipe and another file.
  ///
  /// @param position the position in the input, or -1 if the input is a pipe or socket
  /// @param flags `SPLICE_F_` bits
  /// @return the number of bytes transferred, 0 at the end, or -EAGAIN, …
  public static long splice(int input, long position, int output, long count, int flags) {
    if (position < 0) {
      return Kernel.call(SystemCall.SPLICE, input, 0, output, 0, count, flags);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment offset = arena.allocateFrom(JAVA_LONG, position);
      return Kernel.call(SystemCall.SPLICE, input, offset.address(), output, 0, count, flags);
    }
  }

  /// Opens a pipe.
  ///
  /// @param flags `O_NONBLOCK` or 0
  /// @param ends the array that receives the descriptors of the read end and the write end
  public static int pipe2(int flags, int[] ends) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pair = arena.allocate(JAVA_INT, 2);
      int result = (int) Kernel.call(SystemCall.PIPE2, pair.address(), flags | O_CLOEXEC);
      ends[0] = result < 0 ? -1 : pair.getAtIndex(JAVA_INT, 0);
      ends[1] = result < 0 ? -1 : pair.getAtIndex(JAVA_INT, 1);
      return result;
    }
  }

  /// Reads the properties of the file system that contains an open file.
  public static int fstatfs(int fd, StatFs into) {
    return (int) Kernel.callWithBuffer(SystemCall.FSTATFS, fd, into.segment(), 0);
  }

  /// Truncates a file, or extends it with zeros.
  ///
  /// @param length the new length in bytes
  /// @return 0 or a negative errno
  public static int ftruncate(int fd, long length) {
    return (int) Kernel.call(SystemCall.FTRUNCATE, fd, length);
  }

  /// Makes the content of a file durable, including the metadata that is required to read it.
  ///
  /// @return 0 or a negative errno; if an error is returned, data that was not written yet may be
  ///   lost
  public static int fdatasync(int fd) {
    return (int) Kernel.call(SystemCall.FDATASYNC, fd);
  }

  /// Acquires or releases a lock on an entire open file. The lock is released when the descriptor
  /// is closed.
  ///
  /// @param operation [#LOCK_SH], [#LOCK_EX] or [#LOCK_UN], optionally combined with [#LOCK_NB]
  /// @return 0, or -EAGAIN if the lock is held by another process
  public static int flock(int fd, int operation) {
    return (int) Kernel.call(SystemCall.FLOCK, fd, operation);
  }

  /// Returns the size of a block device in bytes, or a negative errno (-ENOTTY if the file is not a
  /// block device).
  public static long blockDeviceBytes(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_LONG);
      long result = Kernel.call(SystemCall.IOCTL, fd, BLKGETSIZE64, size.address());
      return result < 0 ? result : size.get(JAVA_LONG, 0);
    }
  }

  /// Returns the logical sector size of a block device in bytes, which is the unit of direct
  /// transfers, or a negative errno.
  public static int blockDeviceSectorBytes(int fd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_INT);
      long result = Kernel.call(SystemCall.IOCTL, fd, BLKSSZGET, size.address());
      return result < 0 ? (int) result : size.get(JAVA_INT, 0);
    }
  }

  /// Informs the kernel how a range will be used.
  ///
  /// @param length the length of the range, or 0 for the range up to the end of the file
  /// @param advice a `POSIX_FADV_` constant
  public static int fadvise(int fd, long offset, long length, int advice) {
    return (int) Kernel.call(SystemCall.FADVISE64, fd, offset, length, advice);
  }

  /// Determines how much of a range is in the page cache. Requires Linux 6.5, and returns -ENOSYS
  /// on older kernels.
  ///
  /// @param length the length of the range, or 0 for the range up to the end of the file
  public static int cachestat(int fd, long offset, long length, CacheStat into) {
    try {
      return (int)
          Kernel.callWithBuffer(
              SystemCall.CACHESTAT, fd, into.range(offset, length), into.segment().address(), 0);
    } finally {
      Reference.reachabilityFence(into);
    }
  }

  /// Reads the target of a symbolic link.
  ///
  /// @param into the array that receives the target, which is truncated if it does not fit
  /// @return the number of bytes, or -EINVAL if the file is not a symbolic link, -ENOENT, …
  public static int readlink(int directory, String name, byte[] into) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, Paths.bytes(name));
      if (text == null) {
        return -Errno.EINVAL;
      }
      MemorySegment target = arena.allocate(Math.max(1, into.length));
      int length =
          (int)
              Kernel.callWithBuffer(
                  SystemCall.READLINKAT, directory, text, target.address(), into.length);
      if (length > 0) {
        MemorySegment.copy(target, JAVA_BYTE, 0, into, 0, length);
      }
      return length;
    }
  }

  /// Sets the position of a directory or file to its beginning.
  public static long rewind(int fd) {
    return Kernel.call(SystemCall.LSEEK, fd, 0, SEEK_SET);
  }

  /// Sets the position to the first hole at or after the given offset. The end of the file is
  /// treated as a hole. Most file systems acquire the lock of the inode for this operation, so it
  /// returns only after every write that was in progress has completed.
  ///
  /// @return the offset of the hole, -ENXIO if the offset is beyond the end, or -EINVAL if the
  ///   operation is not supported
  public static long seekHole(int fd, long offset) {
    return Kernel.call(SystemCall.LSEEK, fd, offset, SEEK_HOLE);
  }

  /// Makes `fd` refer to the same open file as `by`. The change is atomic for all threads that use
  /// the descriptor number.
  ///
  /// @return `fd`, or a negative errno
  public static int replace(int fd, int by) {
    return (int) Kernel.call(SystemCall.DUP3, by, fd, O_CLOEXEC);
  }

  /// Returns a new descriptor for the same open file.
  public static int duplicate(int fd) {
    return (int) Kernel.call(SystemCall.FCNTL, fd, F_DUPFD_CLOEXEC, 0);
  }

  /// Returns the `O_` bits of an open file.
  public static int statusFlags(int fd) {
    return (int) Kernel.call(SystemCall.FCNTL, fd, F_GETFL, 0);
  }

  /// Changes the `O_` bits of an open file that can be changed, such as [#O_NONBLOCK].
  public static int setStatusFlags(int fd, int flags) {
    return (int) Kernel.call(SystemCall.FCNTL, fd, F_SETFL, flags);
  }

  /// Opens a file that exists only in memory and can be sealed.
  ///
  /// @param name the name that is shown in `/proc`, at most 249 bytes
  public static int memfd(String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = Paths.encode(arena, Paths.bytes(name));
      if (text == null) {
        return -Errno.EINVAL;
      }
      long flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
      return (int) Kernel.call(SystemCall.MEMFD_CREATE, text.address(), flags);
    }
  }

  /// Permanently prohibits changes to a memory file.
  ///
  /// @param seals `F_SEAL_` bits
  public static int addSeals(int fd, int seals) {
    return (int) Kernel.call(SystemCall.FCNTL, fd, F_ADD_SEALS, seals);
  }

  /// Returns the seals of a memory file.
  ///
  /// @return `F_SEAL_` bits, or -EINVAL if the descriptor does not refer to a memory file
  public static int seals(int fd) {
    return (int) Kernel.call(SystemCall.FCNTL, fd, F_GET_SEALS);
  }
}
