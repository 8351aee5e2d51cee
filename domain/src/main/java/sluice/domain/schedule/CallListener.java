package sluice.domain.schedule;

/// A scheduler that is told of portal calls. For others they are invisible: the thread that is
/// called runs at once, on the caller's processor, and so does the caller when it is answered.
public interface CallListener extends Scheduler {
  /// Called when a thread of the domain has called a service of another domain and waits for it,
  /// before [#activated]: while the scheduler chooses threads of its own, the call is delayed.
  void calling(ScheduledThread caller);

  /// Called when a service of the domain is called and the thread that runs it is ready, before
  /// [#activated]. The thread is not given by [Cpu#woken]: it runs when the scheduler chooses it.
  void called(ScheduledThread service);
}
