package sluice.domain.inside;

/// An interface that the translator adds to a domain's direct subclass of `Thread`. Its methods
/// call the implementations in `Thread` of methods that a subclass may override. The host uses them
/// in order not to run code of the domain. Any thread may call.
public interface OwnThread {
  /// Calls `Thread.interrupt`.
  void sluiceInterrupt();

  /// Calls `Thread.getState`.
  Thread.State sluiceState();

  /// Calls `Thread.getUncaughtExceptionHandler`.
  Thread.UncaughtExceptionHandler sluiceHandler();

  /// Calls `Thread.setUncaughtExceptionHandler`.
  void sluiceHandler(Thread.UncaughtExceptionHandler handler);
}
