package sluice.domain.schedule;

/// A scheduler that is notified of portal calls. For other schedulers they are invisible: the
/// called thread runs at once on the caller's processor, and so does the caller when the call
/// returns.
public interface CallListener extends Scheduler {
  /// Called when a thread of the domain has called a service of another domain and waits for it,
  /// before [#activated]. While the scheduler chooses its own threads, the call is delayed.
  void calling(ScheduledThread caller);

  /// Called when a service of the domain is called and the thread that runs it is ready, before
  /// [#activated]. [Cpu#woken] does not return the thread; it runs when the scheduler chooses it.
  void called(ScheduledThread service);
}
