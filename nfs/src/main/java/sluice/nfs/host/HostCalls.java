package sluice.nfs.host;

import java.nio.charset.StandardCharsets;
import sluice.fs.Caller;
import sluice.fs.FsException;
import sluice.sys.ThreadCredentials;

/// What the calls of [HostTree] have in common: the caller's ids, and errors. Any thread may call.
final class HostCalls {
  /// A call to the kernel. It must not wait for anything in Java: its thread has a caller's ids.
  @FunctionalInterface
  interface Call {
    long run();
  }

  private HostCalls() {}

  /// Makes an exception of a negative errno.
  ///
  /// @param what the call, for the message
  static long check(long result, String what) throws FsException {
    if (result < 0) {
      throw FsException.of((int) -result, what);
    }
    return result;
  }

  /// Runs a call with the ids of a caller, on the thread of the operating system that runs the
  /// calling thread; see [ThreadCredentials].
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

  /// Whether this process may take on others' ids and open files by handle.
  static boolean privileged() {
    if (ThreadCredentials.setGroups(ThreadCredentials.groups()) < 0) {
      return false;
    }
    int other = ThreadCredentials.setFileIds(1, 1);
    ThreadCredentials.setFileIds(0, 0);
    return other == 0 && ThreadCredentials.setGroups(ThreadCredentials.groups()) == 0;
  }

  /// A path by which calls that take no descriptor reach its file.
  static byte[] path(int fd) {
    return ("/proc/self/fd/" + fd).getBytes(StandardCharsets.US_ASCII);
  }
}
