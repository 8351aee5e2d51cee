package sluice.sys.threads;

/// Creates threads of the host that may be created on behalf of a domain. The threads do not
/// inherit anything from the thread that creates them. This class is stateless and thread-safe.
public final class HostThread {
  private static final ThreadGroup ROOT = root();

  private HostThread() {}

  private static ThreadGroup root() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    while (group.getParent() != null) {
      group = group.getParent();
    }
    return group;
  }

  /// Returns the topmost thread group.
  public static ThreadGroup group() {
    return ROOT;
  }

  /// Creates a daemon thread in the topmost thread group without starting it. The thread does not
  /// inherit the caller's thread group, context class loader or inheritable thread locals, because
  /// their `childValue` methods may be code of a domain.
  public static Thread daemon(String name, Runnable task) {
    return Thread.ofPlatform()
        .group(ROOT)
        .daemon()
        .inheritInheritableThreadLocals(false)
        .name(name)
        .unstarted(task);
  }
}
