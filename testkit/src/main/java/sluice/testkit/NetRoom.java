package sluice.testkit;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import sluice.sys.SysException;
import sluice.sys.xdp.NetNamespace;
import sluice.testbase.Await;

/// A network namespace for one test. The calling thread is in it, with the sockets that it opens
/// and the processes that it starts, until [#close]. It leaves no traces on the machine.
public final class NetRoom implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private final int before;
  private final int inside;

  private NetRoom(int before, int inside) {
    this.before = before;
    this.inside = inside;
  }

  /// An action in another namespace.
  @FunctionalInterface
  public interface Action<T, X extends Exception> {
    T run() throws X;
  }

  /// Moves the calling thread into a new namespace, or skips the test and reports the missing tool
  /// or privilege.
  public static NetRoom enter(String... tools) {
    for (String tool : tools) {
      if (!isInstalled(tool)) {
        abort("no " + tool + ": install it to run this test");
      }
    }
    try {
      int before = NetNamespace.open();
      try {
        NetNamespace.unshare();
      } catch (SysException e) {
        int _ = sluice.sys.Files.close(before);
        abort("no network namespace: " + e.getMessage());
      }
      NetRoom room = new NetRoom(before, NetNamespace.open());
      room.run("ip link set lo up");
      return room;
    } catch (IOException e) {
      return abort("no network namespace: " + e.getMessage());
    }
  }

  public static boolean isInstalled(String tool) {
    for (String directory : System.getenv("PATH").split(":", -1)) {
      if (Files.isExecutable(Path.of(directory, tool))) {
        return true;
      }
    }
    return false;
  }

  /// Fails on another thread, whose commands would change the machine's own network.
  private void checkOwner() {
    if (Thread.currentThread() != owner) {
      throw new AssertionError(
          "another thread is in the namespace: " + owner + ". Fix: @Timeout in the same thread");
    }
  }

  /// Starts a command in the namespace, with errors redirected to its output.
  public Process start(String command) {
    checkOwner();
    try {
      Process process =
          new ProcessBuilder(List.of(command.split(" ", -1))).redirectErrorStream(true).start();
      Await.limit(process);
      return process;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Runs a command in the namespace.
  ///
  /// @return its output
  /// @throws AssertionError if the command fails
  public String run(String command) {
    try {
      Process process = start(command);
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int status = Await.end(process);
      if (status != 0) {
        throw new AssertionError(command + ": status " + status + ": " + text);
      }
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// Runs an action in the previous namespace of the thread, which belongs to another room if that
  /// was entered first.
  public <T, X extends Exception> T outside(Action<T, X> action) throws X {
    checkOwner();
    try {
      NetNamespace.enter(before);
      try {
        return action.run();
      } finally {
        NetNamespace.enter(inside);
      }
    } catch (SysException e) {
      throw new AssertionError(e);
    }
  }

  /// Returns a path for the namespace, for `ip link set dev X netns …`.
  public String path() {
    return "/proc/" + ProcessHandle.current().pid() + "/fd/" + inside;
  }

  /// Creates a pair of interfaces: `left` in this namespace and `right` in the previous one.
  ///
  /// @param queues the number of queues of each
  public void link(String left, String right, int queues) {
    String channels = " numrxqueues " + queues + " numtxqueues " + queues;
    String there = " netns /proc/" + ProcessHandle.current().pid() + "/fd/" + before;
    run("ip link add " + left + channels + " type veth peer name " + right + channels + there);
    run("ip link set " + left + " up");
    String _ = outside(() -> run("ip link set " + right + " up"));
  }

  /// Moves the thread back to its previous namespace.
  @Override
  public void close() {
    checkOwner();
    try {
      NetNamespace.enter(before);
    } catch (SysException e) {
      throw new AssertionError(e);
    } finally {
      int _ = sluice.sys.Files.close(before);
      int _ = sluice.sys.Files.close(inside);
    }
  }
}
