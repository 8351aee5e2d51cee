package sluice.sys;

/// Why AF_XDP and BPF refuse something. Without state: any thread may call.
final class PacketExplanation {
  private PacketExplanation() {}

  static Explanation of(String call, int errno) {
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
      default -> Explanation.none();
    };
  }
}
