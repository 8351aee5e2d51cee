package sluice.nfs.host;

import java.io.IOException;
import java.util.Arrays;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.nfs.host.HostDescriptors.Kind;
import sluice.nfs.host.HostDescriptors.Open;
import sluice.sys.AttributeCalls;
import sluice.sys.Errno;

/// The extended attributes of host files. Only regular files and directories are supported, because
/// the system calls require a path and `/proc/self/fd/N` of a symbolic link is itself a link in
/// `/proc`. This class is thread-safe.
final class HostAttributes {
  private static final int MAX_BYTES = 65_536;

  private final HostDescriptors descriptors;

  HostAttributes(HostDescriptors descriptors) {
    this.descriptors = descriptors;
  }

  byte[] get(Caller caller, HostFile file, byte[] name) throws IOException {
    byte[] value = new byte[MAX_BYTES];
    long length = at(caller, "getxattr", file, path -> AttributeCalls.getxattr(path, name, value));
    return Arrays.copyOf(value, (int) length);
  }

  byte[] list(Caller caller, HostFile file) throws IOException {
    byte[] names = new byte[MAX_BYTES];
    long length = at(caller, "listxattr", file, path -> AttributeCalls.listxattr(path, names));
    return Arrays.copyOf(names, (int) length);
  }

  void set(Caller caller, HostFile file, byte[] name, byte[] value, int flags) throws IOException {
    at(caller, "setxattr", file, path -> AttributeCalls.setxattr(path, name, value, flags));
  }

  void remove(Caller caller, HostFile file, byte[] name) throws IOException {
    at(caller, "removexattr", file, path -> AttributeCalls.removexattr(path, name));
  }

  /// A system call that operates on a path.
  @FunctionalInterface
  private interface Call {
    long run(byte[] path);
  }

  private long at(Caller caller, String what, HostFile file, Call call) throws IOException {
    if (!file.opens()) {
      throw FsException.of(Errno.EOPNOTSUPP, file + " is neither a file nor a directory");
    }
    try (Open open = descriptors.open(file, Kind.PATH)) {
      byte[] path = HostCalls.path(open.fd);
      return HostCalls.as(caller, what + " " + file, () -> call.run(path));
    }
  }
}
