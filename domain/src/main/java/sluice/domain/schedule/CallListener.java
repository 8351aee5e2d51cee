package sluice.domain.schedule;

/// A scheduler that is notified of portal calls. Calls are invisible to other schedulers: the
/// called thread runs immediately on the caller's processor, and so does the caller when the call
/// returns.
public interface CallListener extends Scheduler {
  /// Called before [#activated] if a thread of the domain has called a service of another domain
  /// and is waiting for it. The call is delayed while the scheduler selects its own threads.
  void calling(ScheduledThread caller);

  /// Called before [#activated] if a service of the domain has been called and the thread that runs
  /// it is ready. The thread is not returned by [Cpu#woken]. It runs when the scheduler selects it.
  void called(ScheduledThread service);
}
