package sluice.sys.threads;

/// Creates threads of the host that code of a domain may be the first to need. They inherit nothing
/// from the thread that creates them. Stateless and safe for use by any thread.
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

  /// Creates a daemon thread in the topmost group and does not start it. The thread inherits
  /// neither the caller's group, nor its context class loader, nor its inheritable thread locals,
  /// whose `childValue` may be code of a domain.
  public static Thread daemon(String name, Runnable task) {
    return Thread.ofPlatform()
        .group(ROOT)
        .daemon()
        .inheritInheritableThreadLocals(false)
        .name(name)
        .unstarted(task);
  }
}
