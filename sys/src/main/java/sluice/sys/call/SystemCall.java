package sluice.sys.call;

/// The system calls and their numbers on each architecture.
///
/// This enum is immutable and thread-safe.
public enum SystemCall {
  READ(0, 63),
  WRITE(1, 64),
  WRITEV(20, 66),
  CLOSE(3, 57),
  PPOLL(271, 73),
  IOCTL(16, 29),
  LSEEK(8, 62),
  MMAP(9, 222),
  MUNMAP(11, 215),
  FCNTL(72, 25),
  DUP3(292, 24),
  FTRUNCATE(77, 46),
  FLOCK(73, 32),
  FDATASYNC(75, 83),
  FSYNC(74, 82),
  SYNCFS(306, 267),
  FALLOCATE(285, 47),
  MADVISE(28, 233),
  FADVISE64(221, 223),
  PREAD64(17, 67),
  PWRITE64(18, 68),
  PREADV2(327, 286),
  PWRITEV(296, 70),
  SENDFILE(40, 71),
  SPLICE(275, 76),
  PIPE2(293, 59),
  OPENAT(257, 56),
  OPENAT2(437, 437),
  STATX(332, 291),
  FSTATFS(138, 44),
  READLINKAT(267, 78),
  MKDIRAT(258, 34),
  MKNODAT(259, 33),
  SYMLINKAT(266, 36),
  LINKAT(265, 37),
  UNLINKAT(263, 35),
  RENAMEAT2(316, 276),
  FACCESSAT2(439, 439),
  FCHMODAT(268, 53),
  FCHOWNAT(260, 54),
  UTIMENSAT(280, 88),
  GETXATTR(191, 8),
  LISTXATTR(194, 11),
  SETXATTR(188, 5),
  REMOVEXATTR(197, 14),
  NAME_TO_HANDLE_AT(303, 264),
  OPEN_BY_HANDLE_AT(304, 265),
  SETFSUID(122, 151),
  SETFSGID(123, 152),
  SETGROUPS(116, 159),
  GETGROUPS(115, 158),
  UMASK(95, 166),
  GETDENTS64(217, 61),
  CACHESTAT(451, 451),
  MOUNT(165, 40),
  UMOUNT2(166, 39),
  MEMFD_CREATE(319, 279),
  SOCKET(41, 198),
  BIND(49, 200),
  LISTEN(50, 201),
  ACCEPT4(288, 242),
  CONNECT(42, 203),
  SENDTO(44, 206),
  RECVFROM(45, 207),
  SENDMSG(46, 211),
  RECVMSG(47, 212),
  SENDMMSG(307, 269),
  RECVMMSG(299, 243),
  SETSOCKOPT(54, 208),
  GETSOCKOPT(55, 209),
  GETSOCKNAME(51, 204),
  GETPEERNAME(52, 205),
  SHUTDOWN(48, 210),
  EPOLL_CREATE1(291, 20),
  EPOLL_CTL(233, 21),
  EPOLL_PWAIT(281, 22),
  EPOLL_PWAIT2(441, 441),
  EVENTFD2(290, 19),
  INOTIFY_INIT1(294, 26),
  INOTIFY_ADD_WATCH(254, 27),
  INOTIFY_RM_WATCH(255, 28),
  IO_URING_SETUP(425, 425),
  IO_URING_ENTER(426, 426),
  IO_URING_REGISTER(427, 427),
  PRCTL(157, 167),
  CAPGET(125, 90),
  CAPSET(126, 91),
  MEMBARRIER(324, 283),
  SECCOMP(317, 277),
  UNSHARE(272, 97),
  SETNS(308, 268),
  BPF(321, 280),
  PRLIMIT64(302, 261),
  GETTID(186, 178),
  GETPID(39, 172),
  GETEUID(107, 175),
  TGKILL(234, 131),
  SCHED_SETAFFINITY(203, 122),
  SCHED_GETAFFINITY(204, 123),
  SCHED_SETATTR(314, 274),
  SCHED_GETATTR(315, 275);

  private final int x86Number;
  private final int armNumber;
  private final int number;

  SystemCall(int x86Number, int armNumber) {
    this.x86Number = x86Number;
    this.armNumber = armNumber;
    this.number = Arch.choose(x86Number, armNumber);
  }

  /// Returns the number of the call on the current architecture.
  public int number() {
    return number;
  }

  /// Returns the number of the call on the given architecture.
  public int number(Arch arch) {
    return arch == Arch.AARCH64 ? armNumber : x86Number;
  }
}
