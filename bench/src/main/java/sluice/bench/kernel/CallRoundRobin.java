package sluice.bench.kernel;

import sluice.domain.schedule.CallListener;
import sluice.domain.schedule.ScheduledThread;

/// As [RoundRobin], and told of portal calls: a service that is called runs before other threads.
public final class CallRoundRobin extends RoundRobin implements CallListener {
  private long calls;

  @Override
  public void calling(ScheduledThread caller) {
    calls++;
  }

  @Override
  public void called(ScheduledThread service) {
    calls++;
    ready.addFirst(service);
  }

  /// Returns how many calls it has heard of.
  public long calls() {
    return calls;
  }
}
