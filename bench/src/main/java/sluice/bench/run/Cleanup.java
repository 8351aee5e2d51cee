package sluice.bench.run;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/// Closes all open resources when the harness ends, also on Ctrl-C. Any thread may call; there is
/// one lock, so that no resource is opened once the end has begun.
public final class Cleanup {
  private static final Deque<AutoCloseable> OPEN = new ArrayDeque<>();
  private static boolean ending;

  static {
    Thread hook = Thread.ofPlatform().name("cleanup").unstarted(Cleanup::closeAll);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private Cleanup() {}

  /// Opens a resource that outlives the process unless it is closed.
  public interface Opener<T extends AutoCloseable> {
    T open() throws IOException;
  }

  /// Opens a resource and remembers it until [#closed].
  ///
  /// @throws IOException if it cannot be opened, or the process is ending
  public static <T extends AutoCloseable> T open(Opener<T> opener) throws IOException {
    synchronized (OPEN) {
      if (ending) {
        throw new IOException("the bench is ending");
      }
      T resource = opener.open();
      OPEN.push(resource);
      return resource;
    }
  }

  /// Forgets a resource that has been closed.
  public static void closed(AutoCloseable resource) {
    synchronized (OPEN) {
      OPEN.remove(resource);
    }
  }

  /// Closes the resources in reverse order, so servers before the folder they write to. The lock is
  /// not held: the main thread may be closing one of them, and calls [#closed] afterwards.
  private static void closeAll() {
    List<AutoCloseable> left;
    synchronized (OPEN) {
      ending = true;
      left = List.copyOf(OPEN);
    }
    for (AutoCloseable resource : left) {
      try {
        resource.close();
      } catch (Exception e) {
        System.err.println("clean-up: " + e.getMessage());
      }
    }
  }
}
