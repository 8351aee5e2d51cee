package sluice.testkit.machine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import sluice.sys.Errno;
import sluice.sys.Files;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;
import sluice.sys.SysException;

/// Skips tests that an ordinary user cannot run, with the reason. Any thread may call.
public final class Privileges {
  private Privileges() {}

  /// Skips the test unless root runs it.
  ///
  /// @param why the reason, such as `its clients write into a directory of root`
  public static void requireRoot(String why) {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs root: " + why);
  }

  /// Skips the test if the user may not attach a filter to a socket.
  public static void requireSocketFilters() throws IOException {
    assumeTrue(hasSocketFilters(), "this user may not attach a filter to a socket here");
  }

  /// Returns true if the user may attach a filter to a socket.
  public static boolean hasSocketFilters() throws IOException {
    int fd = Sockets.socket(SocketAddresses.AF_INET, Sockets.SOCK_STREAM, 0);
    try {
      Sockets.dropSyn(fd);
      return true;
    } catch (SysException e) {
      if (e.errno() == Errno.EPERM) {
        return false;
      }
      throw e;
    } finally {
      Files.close(fd);
    }
  }
}
