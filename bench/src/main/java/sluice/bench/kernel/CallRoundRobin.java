package sluice.bench.kernel;

import sluice.domain.schedule.CallListener;
import sluice.domain.schedule.ScheduledThread;

/// A [RoundRobin] that is informed of portal calls: a called service runs before other threads.
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

  /// Returns the number of calls it was informed of.
  public long calls() {
    return calls;
  }
}
