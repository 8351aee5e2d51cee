package sluice.domain.portal;

import java.util.ArrayList;
import java.util.List;
import sluice.domain.portal.copy.CopyQuota;

/// A simple party for tests: a name, a loader, and an end.
public class PlainParty implements Party {
  private final String name;
  private final ClassLoader loader;
  private final CopyQuota quota;
  private final List<Runnable> tasks = new ArrayList<>();
  private volatile boolean ended;

  /// Creates a party.
  ///
  /// @param quota the limit on copies into it
  public PlainParty(String name, ClassLoader loader, CopyQuota quota) {
    this.name = name;
    this.loader = loader;
    this.quota = quota;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public ClassLoader loader() {
    return loader;
  }

  @Override
  public boolean alive() {
    return !ended;
  }

  @Override
  public void onEnd(Runnable task) {
    synchronized (tasks) {
      if (!ended) {
        tasks.add(task);
        return;
      }
    }
    task.run();
  }

  @Override
  public CopyQuota copyQuota() {
    return quota;
  }

  /// Ends the party in the calling thread.
  public void end() {
    List<Runnable> last;
    synchronized (tasks) {
      ended = true;
      last = List.copyOf(tasks);
      tasks.clear();
    }
    last.forEach(Runnable::run);
  }
}
