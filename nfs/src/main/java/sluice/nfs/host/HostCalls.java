package sluice.nfs.host;

import java.nio.charset.StandardCharsets;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.sys.ThreadCredentials;

/// Executes system calls with the IDs of the caller and converts their errors to exceptions. This
/// class is thread-safe.
final class HostCalls {
  /// A system call. It must not wait for another Java thread, because its own thread runs with the
  /// IDs of the caller.
  @FunctionalInterface
  interface Call {
    long run();
  }

  private HostCalls() {}

  /// Throws an exception if the result is a negative errno, and returns it otherwise.
  ///
  /// @param what the name of the call, for the message
  static long check(long result, String what) throws FsException {
    if (result < 0) {
      throw FsException.of((int) -result, what);
    }
    return result;
  }

  /// Executes a system call with the IDs of the given caller. The IDs are set on the platform
  /// thread that carries the calling thread, see [ThreadCredentials].
  static long as(Caller caller, String what, Call call) throws FsException {
    if (caller.equals(Caller.ROOT)) {
      return check(call.run(), what);
    }
    int[] own = ThreadCredentials.groups();
    check(ThreadCredentials.setGroups(caller.groups()), "setgroups");
    long result;
    try {
      result = ThreadCredentials.setFileIds(caller.uid(), caller.gid());
      if (result == 0) {
        result = call.run();
      }
    } finally {
      ThreadCredentials.setFileIds(0, 0);
      ThreadCredentials.setGroups(own);
    }
    return check(result, what);
  }

  /// Returns true if this process has the capabilities to change its IDs and to open files by
  /// handle.
  static boolean privileged() {
    if (ThreadCredentials.setGroups(ThreadCredentials.groups()) < 0) {
      return false;
    }
    int other = ThreadCredentials.setFileIds(1, 1);
    ThreadCredentials.setFileIds(0, 0);
    return other == 0 && ThreadCredentials.setGroups(ThreadCredentials.groups()) == 0;
  }

  /// Returns a path to an open file, for system calls that do not accept a descriptor.
  static byte[] path(int fd) {
    return ("/proc/self/fd/" + fd).getBytes(StandardCharsets.US_ASCII);
  }
}
