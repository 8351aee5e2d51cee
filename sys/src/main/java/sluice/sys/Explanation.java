package sluice.sys;

/// An explanation of the errno of a system call, which consists of its cause and a remedy.
///
/// Instances are immutable and thread-safe. Explanations for a specific call take precedence over
/// general explanations for an errno. Neither text is empty.
///
/// @param why the cause of the error
/// @param fix the remedy
record Explanation(String why, String fix) {

  static Explanation of(String call, int errno) {
    Explanation specific =
        switch (call) {
          case "io_uring_setup" -> setup(errno);
          case "io_uring_register" -> register(errno);
          case "bind", "listen" -> bind(errno);
          case "connect" -> connect(errno);
          case "openat", "openat2" -> open(errno);
          case "inotify_add_watch", "inotify_init1" -> inotify(errno);
          case "mmap" -> mmap(errno);
          case "flock" -> flock(errno);
          case "seccomp" -> seccomp(errno);
          case "mount" -> mount(errno);
          case "umount2" -> unmount(errno);
          case "FuseMount.open" -> fuseDevice(errno);
          case "TapDevice.open" -> tapDevice(errno);
          case "XdpSocket.open", "XdpSocket.bind", "bpf", "XdpFilter.attach" ->
              packets(call, errno);
          case "Poller.add", "Poller.modify", "Poller.remove" -> poller(errno);
          default -> none();
        };
    return specific.isEmpty() ? general(call, errno) : specific;
  }

  private static Explanation none() {
    return new Explanation("", "");
  }

  private boolean isEmpty() {
    return why.isEmpty();
  }

  private static Explanation setup(int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          ringDenied(SystemInfo.ioUringDisabled(), SystemInfo.seccompFiltered());
      case Errno.ENOSYS ->
          new Explanation(
              "the kernel has no io_uring (older than 5.1, built without CONFIG_IO_URING), or a"
                  + " sandbox hides it",
              "run on Linux 6.1 or later outside the sandbox, or choose the epoll backend");
      case Errno.ENOMEM ->
          new Explanation(
              "the rings do not fit in what this process may lock (RLIMIT_MEMLOCK) or the machine"
                  + " has no memory left",
              "raise the limit (ulimit -l, LimitMEMLOCK= of systemd), or open smaller rings");
      case Errno.EINVAL ->
          new Explanation(
              "the kernel does not know one of the set-up flags (SINGLE_ISSUER 6.0, DEFER_TASKRUN"
                  + " 6.1), or the number of entries is 0",
              "run on Linux 6.1 or later, or open the ring without these flags");
      default -> none();
    };
  }

  /// Explains why opening a ring is denied, as far as the kernel provides this information.
  ///
  /// @param disabled the value of `kernel.io_uring_disabled`, or -1 if there is no such setting
  /// @param filtered true if a seccomp filter applies to this process
  static Explanation ringDenied(int disabled, boolean filtered) {
    String otherwise = "; or choose the epoll backend";
    if (disabled > 0) {
      boolean some = disabled == 1;
      return new Explanation(
          "sysctl kernel.io_uring_disabled is "
              + disabled
              + (some
                  ? ": only the group kernel.io_uring_group and CAP_SYS_ADMIN may open a ring"
                  : ": no process may open a ring"),
          "sysctl -w kernel.io_uring_disabled=0"
              + (some ? ", or put the user's group into kernel.io_uring_group" : "")
              + otherwise);
    }
    return filtered
        ? new Explanation(
            "a seccomp filter denies it, as the default of most container runtimes does",
            "use a seccomp profile that allows io_uring_setup, io_uring_enter and"
                + " io_uring_register (`sluice doctor` shows the rule)"
                + otherwise)
        : new Explanation(
            "a security module (LSM) denies it", "allow io_uring in its policy" + otherwise);
  }

  private static Explanation register(int errno) {
    return switch (errno) {
      case Errno.EINVAL ->
          new Explanation(
              "the kernel does not know this kind of registration, or a count is not a power of two"
                  + " or out of range",
              "run on Linux 6.1 or later; use powers of two, at most 32768 buffers in a group");
      case Errno.EEXIST ->
          new Explanation(
              "the buffer group is taken, or a ring with SINGLE_ISSUER was used by a thread that is"
                  + " not its owner",
              "use another group number; use the ring only on the thread that opened it");
      case Errno.ENOMEM ->
          new Explanation(
              "the kernel cannot pin the memory: RLIMIT_MEMLOCK or the memory cgroup is exhausted",
              "raise the limit (ulimit -l, LimitMEMLOCK= of systemd), or register less");
      case Errno.EBUSY ->
          new Explanation(
              "the thread has 16 rings registered, or the ring has a table of direct descriptors",
              "close rings that are not used, or go on without registering");
      case Errno.EMFILE ->
          new Explanation(
              "a table of direct descriptors may not be larger than RLIMIT_NOFILE",
              "raise the limit (ulimit -n, LimitNOFILE= of systemd), or register fewer slots");
      default -> none();
    };
  }

  private static Explanation bind(int errno) {
    return switch (errno) {
      case Errno.EADDRINUSE ->
          new Explanation(
              "another socket already has this address and port",
              "choose another port, or stop the process that `ss -lntup` shows");
      case Errno.EADDRNOTAVAIL ->
          new Explanation(
              "no interface of this machine (or network namespace) has this address",
              "use an address that `ip addr` lists, or the wildcard address");
      case Errno.EACCES ->
          new Explanation(
              "ports below net.ipv4.ip_unprivileged_port_start need CAP_NET_BIND_SERVICE, and a"
                  + " UNIX socket needs write permission on its directory",
              "use a port of 1024 or above, or grant the capability (setcap, AmbientCapabilities=)");
      case Errno.ENOENT, Errno.ENOTDIR ->
          new Explanation(
              "the directory of the UNIX socket does not exist", "create the directory first");
      default -> none();
    };
  }

  private static Explanation connect(int errno) {
    return switch (errno) {
      case Errno.ECONNREFUSED ->
          new Explanation("no server listens at this address", "start the server, check the port");
      case Errno.ENOENT ->
          new Explanation(
              "there is no UNIX socket with this path", "start the server, check the path");
      case Errno.ENETUNREACH, Errno.EHOSTUNREACH ->
          new Explanation("there is no route to this address", "check `ip route get ADDRESS`");
      default -> none();
    };
  }

  private static Explanation open(int errno) {
    return switch (errno) {
      case Errno.EACCES ->
          new Explanation(
              "this user may not read it (or write it, if that was asked for), or may not enter a"
                  + " directory on the way to it",
              "grant it (chmod, setfacl), or run as a user that may");
      case Errno.EXDEV ->
          new Explanation(
              "the path leaves the directory it must stay beneath (.., an absolute link, or a mount"
                  + " point)",
              "use a path inside the directory, or allow links that leave it");
      case Errno.ELOOP ->
          new Explanation(
              "the path contains a symbolic link where none is allowed, or too many of them",
              "use the path the link points to, or allow links");
      case Errno.EAGAIN ->
          new Explanation(
              "the kernel could not rule out that the path escapes during a concurrent rename, or a"
                  + " cached-only lookup missed",
              "repeat the call");
      case Errno.EROFS ->
          new Explanation(
              "the file system it is on is mounted read-only",
              "open it for reading only (--read-only), or use a copy elsewhere");
      case Errno.EBUSY ->
          new Explanation(
              "the block device is mounted, or another process has it open for itself",
              "unmount it, or end the process that `fuser DEVICE` shows");
      default -> none();
    };
  }

  private static Explanation inotify(int errno) {
    return switch (errno) {
      case Errno.ENOSPC ->
          new Explanation(
              "the user has no inotify watches left (fs.inotify.max_user_watches)",
              "sysctl -w fs.inotify.max_user_watches=524288");
      case Errno.EMFILE ->
          new Explanation(
              "the user has no inotify instances left (fs.inotify.max_user_instances), or the"
                  + " process has no descriptors left",
              "sysctl -w fs.inotify.max_user_instances=1024, or raise ulimit -n");
      default -> none();
    };
  }

  private static Explanation flock(int errno) {
    return errno == Errno.EAGAIN
        ? new Explanation(
            "another process has this image open, and two would destroy it",
            "end the process that `fuser IMAGE` shows, or open a copy")
        : none();
  }

  private static Explanation mmap(int errno) {
    return switch (errno) {
      case Errno.ENOMEM ->
          new Explanation(
              "no address space or memory is left, or vm.max_map_count is reached",
              "map less, or raise the memory limit or vm.max_map_count");
      case Errno.EAGAIN ->
          new Explanation(
              "too much memory is locked (RLIMIT_MEMLOCK)",
              "raise the limit (ulimit -l, LimitMEMLOCK= of systemd)");
      case Errno.EACCES ->
          new Explanation(
              "the descriptor is not open for the access the mapping asks for",
              "open it for reading and writing, or map it read-only");
      default -> none();
    };
  }

  private static Explanation seccomp(int errno) {
    return switch (errno) {
      case Errno.EACCES, Errno.EPERM ->
          new Explanation(
              "a filter needs no_new_privs or CAP_SYS_ADMIN, and an outer filter may deny it",
              "set no_new_privs first, or run outside the sandbox");
      default -> none();
    };
  }

  private static Explanation mount(int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          new Explanation(
              "mounting needs CAP_SYS_ADMIN",
              "run as root (sudo), or in namespaces of your own: unshare --user --map-root-user"
                  + " --mount");
      case Errno.ENODEV -> new Explanation("the kernel has no such file system", "modprobe fuse");
      case Errno.ENOENT, Errno.ENOTDIR ->
          new Explanation("the mount point is no directory", "make it first: mkdir -p DIR");
      case Errno.EBUSY ->
          new Explanation("the mount point is in use", "choose another, or unmount what is there");
      default -> none();
    };
  }

  private static Explanation unmount(int errno) {
    return switch (errno) {
      case Errno.EBUSY ->
          new Explanation(
              "a process has a file open in it, or its working directory there",
              "end it (`fuser -vm DIR` names it), or detach the mount: umount -l DIR");
      case Errno.EINVAL ->
          new Explanation("nothing is mounted there", "it may have been unmounted already");
      default -> none();
    };
  }

  private static Explanation fuseDevice(int errno) {
    return switch (errno) {
      case Errno.ENOENT, Errno.ENXIO, Errno.ENODEV ->
          new Explanation(
              "the kernel module for FUSE is not loaded, or the container was not given the device",
              "modprobe fuse; in a container: --device /dev/fuse --cap-add SYS_ADMIN");
      case Errno.EPERM, Errno.EACCES ->
          new Explanation("this user may not open the device", "run as root (sudo)");
      default -> none();
    };
  }

  private static Explanation tapDevice(int errno) {
    return switch (errno) {
      case Errno.ENOENT, Errno.ENXIO, Errno.ENODEV ->
          new Explanation(
              "the kernel module tun is not loaded, or the container was not given the device",
              "modprobe tun; in a container: --device /dev/net/tun --cap-add NET_ADMIN");
      case Errno.EPERM, Errno.EACCES ->
          new Explanation(
              "only a process with CAP_NET_ADMIN makes a TAP device; another user's cannot be"
                  + " opened",
              "as root, once: ip tuntap add dev NAME mode tap user USER; or run as root");
      case Errno.EBUSY ->
          new Explanation(
              "another process has the TAP device open", "end it, or use another device");
      case Errno.EINVAL ->
          new Explanation(
              "there is an interface of that name that is no TAP device of one queue",
              "another name, or remove the interface: ip link del NAME");
      default -> none();
    };
  }

  private static Explanation packets(String call, int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          new Explanation(
              call.equals("bpf")
                  ? "programs and maps of XDP need CAP_BPF and CAP_NET_ADMIN, which default"
                      + " containers do not have; or the verifier refused the program"
                  : "AF_XDP needs CAP_NET_RAW, and the attachment CAP_NET_ADMIN",
              "run as root, or with CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF; in a container:"
                  + " --cap-add NET_RAW,NET_ADMIN,BPF; or the driver tap");
      case Errno.EAFNOSUPPORT ->
          new Explanation(
              "the kernel has no AF_XDP (CONFIG_XDP_SOCKETS), or a seccomp filter hides it",
              "another kernel or container, or the driver tap");
      case Errno.ENOSYS ->
          new Explanation(
              "the kernel has no bpf(2), or a seccomp filter hides it: that of default containers"
                  + " does",
              "in a container: --cap-add BPF or --security-opt seccomp=…; or the driver tap");
      case Errno.ENOBUFS, Errno.ENOMEM ->
          new Explanation(
              "the frames do not fit in what this process may lock (RLIMIT_MEMLOCK)",
              "raise the limit (ulimit -l, LimitMEMLOCK= of systemd), or give CAP_IPC_LOCK");
      case Errno.EBUSY ->
          new Explanation(
              call.equals("XdpFilter.attach")
                  ? "another program of XDP is attached to the interface"
                  : "another socket of AF_XDP has this queue of the interface",
              "end the other process; ip link show says which program is attached");
      case Errno.EINVAL, Errno.EOPNOTSUPP ->
          new Explanation(
              "the interface has no such queue, or its driver does not offer the mode",
              "ethtool -l INTERFACE shows the queues; another mode, or the driver tap");
      case Errno.ENODEV, Errno.ENETDOWN, Errno.ENXIO ->
          new Explanation("the interface is not there, or is down", "ip link set INTERFACE up");
      default -> none();
    };
  }

  private static Explanation poller(int errno) {
    return switch (errno) {
      case Errno.EEXIST ->
          new Explanation(
              "the descriptor is a member already; a number that was closed without being removed"
                  + " stays one",
              "modify the entry, or remove it before the descriptor is closed");
      case Errno.ENOENT ->
          new Explanation(
              "the handle or descriptor was never added to this poller, or was removed",
              "keep the handle that add returned, and forget it when the entry is removed");
      case Errno.ENOSPC ->
          new Explanation(
              "the poller holds as many entries as it was opened for, or all epolls of this user as"
                  + " many as fs.epoll.max_user_watches allows",
              "remove entries that are not used, open it with a larger maxEntries, or raise that"
                  + " limit with sysctl");
      case Errno.EPERM ->
          new Explanation(
              "regular files, directories, block devices and /dev/null are always ready: the kernel"
                  + " does not poll them",
              "read them without waiting, or add a socket, a pipe, an eventfd or a terminal");
      case Errno.EINVAL ->
          new Explanation(
              "the event bits are not those of poll(2), or the handle is not one of add's",
              "use the constants of Poller");
      default -> none();
    };
  }

  private static Explanation general(String call, int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          new Explanation(
              "the process lacks the permission or capability for this, or a seccomp filter or LSM"
                  + " denies it",
              "grant it, or run as a user that has it; `sluice doctor` shows what is blocked");
      case Errno.ENODEV ->
          new Explanation(
              "there is no such device or interface", "check the name; ip link show lists them");
      case Errno.ENOENT ->
          new Explanation("there is no such file or object", "check the path or the number");
      case Errno.EBADF ->
          new Explanation(
              "the descriptor is closed or was opened for another kind of access",
              "use it before it is closed; this is an error of the program");
      case Errno.ENOTSOCK ->
          new Explanation(
              "the descriptor is not a socket", "this is an error of the program: pass a socket");
      case Errno.EMFILE ->
          new Explanation(
              "the process has no descriptors left (RLIMIT_NOFILE)",
              "raise the limit (ulimit -n, LimitNOFILE= of systemd)");
      case Errno.ENFILE ->
          new Explanation(
              "the machine has no open files left", "sysctl -w fs.file-max=… to a larger number");
      case Errno.ENOMEM, Errno.ENOBUFS ->
          new Explanation(
              "the kernel has no memory for this", "free memory or raise the cgroup's limit");
      case Errno.ENOSPC ->
          new Explanation("the device or quota is full", "free space or raise the quota");
      case Errno.ENOSYS ->
          new Explanation(
              "the kernel has no such call, a sandbox hides it, or this is not Linux on x86-64 or"
                  + " aarch64",
              "run on Linux 6.1 or later outside the sandbox");
      case Errno.EOPNOTSUPP, Errno.EPROTONOSUPPORT, Errno.EAFNOSUPPORT ->
          new Explanation(
              "this kind of object or this kernel does not support the operation",
              "use another kind, or load the module that provides it");
      case Errno.EINVAL ->
          new Explanation(
              "an argument is out of range, or the kernel is too old for it",
              "compare the arguments with `man 2 " + call + "`; run on Linux 6.1 or later");
      default ->
          new Explanation(
              "the kernel answered: " + Errno.describe(errno),
              "see ERRORS in `man 2 " + call + "`");
    };
  }
}
