package sluice.host.machine;

/// The smallest change that lets a container open rings. Constants only.
///
/// Container runtimes took the three calls out of their default profiles in 2023. The change adds
/// them back and nothing else. `@aio`, which `@system-service` contains, is systemd's name for the
/// set they are in.
final class SeccompFix {
  /// The rule to append to the list `syscalls` of the runtime's default profile.
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
