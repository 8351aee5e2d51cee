package sluice.sys.threads;

/// Threads of the host that code of a domain may be the first to need: they have nothing of the
/// thread that makes them. Any thread may call. Stateless.
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

  /// Returns the topmost group.
  public static ThreadGroup group() {
    return ROOT;
  }

  /// Makes a daemon in the topmost group, not started: neither the group nor the context class
  /// loader nor inheritable values are those of the caller, whose `childValue` may be code of a
  /// domain.
  public static Thread daemon(String name, Runnable task) {
    return Thread.ofPlatform()
        .group(ROOT)
        .daemon()
        .inheritInheritableThreadLocals(false)
        .name(name)
        .unstarted(task);
  }
}
