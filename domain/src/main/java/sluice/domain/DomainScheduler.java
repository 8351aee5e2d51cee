package sluice.domain;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import sluice.domain.schedule.PreemptionListener;
import sluice.domain.schedule.ScheduledThread;
import sluice.domain.schedule.Scheduler;
import sluice.domain.verdict.MethodBounds;

/// Creates the scheduler that is provided by a domain. Stateless.
final class DomainScheduler {
  private DomainScheduler() {}

  /// Creates an instance of a scheduler class of the domain. Called by the domain's thread that is
  /// going to run the scheduler.
  ///
  /// @throws IllegalArgumentException if the class is not a scheduler, or if a method that would
  ///   run on a processor's thread has no bound
  static Scheduler make(String type, ClassLoader loader, List<Path> jars) throws Exception {
    Class<?> found = Class.forName(type, true, loader);
    if (!Scheduler.class.isAssignableFrom(found)) {
      throw new IllegalArgumentException(
          type
              + " is no scheduler. Why: it does not implement "
              + Scheduler.class.getName()
              + ". Fix: name a class that does");
    }
    if (PreemptionListener.class.isAssignableFrom(found)) {
      Method method = PreemptionListener.class.getMethod("preempted", ScheduledThread.class);
      String refusal = MethodBounds.of(jars).refusal(found, method);
      if (!refusal.isEmpty()) {
        throw new IllegalArgumentException(
            refusal
                + ". Fix: see what sluice verify says of the method, or do not implement"
                + " PreemptionListener");
      }
    }
    return found.asSubclass(Scheduler.class).getDeclaredConstructor().newInstance();
  }
}
