package sluice.domain.inside;

/// What the translator gives a domain's class directly below `Thread`: the methods of `Thread` that
/// a class may override, as `Thread` has them. The host asks by these, and so runs no code of the
/// domain. Any thread may call.
public interface OwnThread {
  /// `Thread.interrupt`.
  void sluiceInterrupt();

  /// `Thread.getState`.
  Thread.State sluiceState();

  /// `Thread.getUncaughtExceptionHandler`.
  Thread.UncaughtExceptionHandler sluiceHandler();

  /// `Thread.setUncaughtExceptionHandler`.
  void sluiceHandler(Thread.UncaughtExceptionHandler handler);
}
