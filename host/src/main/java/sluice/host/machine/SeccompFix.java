package sluice.host.machine;

/// The smallest change to a seccomp profile that allows a container to open rings.
///
/// Container runtimes removed the three system calls from their default profiles in 2023. The
/// change adds only these system calls. In systemd, the set `@aio` contains these system calls and
/// is included in `@system-service`.
final class SeccompFix {
  /// The rule to append to the list `syscalls` of the default profile of a container runtime.
  static final String RULE =
      "{\"names\":[\"io_uring_setup\",\"io_uring_enter\",\"io_uring_register\"],"
          + "\"action\":\"SCMP_ACT_ALLOW\"}";

  static final String TEXT =
      String.join(
          "\n",
          "append to \"syscalls\" of a copy of the runtime's default seccomp profile:",
          "  " + RULE,
          "Docker, Podman: --security-opt seccomp=FILE",
          "Kubernetes: securityContext.seccompProfile: {type: Localhost, localhostProfile: FILE}",
          "systemd: SystemCallFilter=@system-service (contains @aio, which has the three)");

  private SeccompFix() {}
}
