package sluice.loop.engine;

/// A transport beside that of the loop's engine, whose bytes are moved by Java code on the loop's
/// thread: connections inside the process, or a network stack of our own.
///
/// In each turn the loop calls [#collect], then turns its engine, then calls [#deliver]. All input
/// and output of the turn thus precedes its first completion, whichever transport it belongs to.
/// The engine waits only while [#ready] is false; an event that makes it true wakes the loop.
///
/// Owned by the loop's thread, except where a method says otherwise.
public interface UserTransport extends AutoCloseable {
  /// Returns the name of the transport, for example `inprocess`.
  String name();

  /// Returns the sockets. [#collect] carries out the operations armed or staged on them.
  Transport sockets();

  /// Carries out staged operations and takes in what has arrived. Delivers nothing and never waits.
  void collect();

  /// Delivers the collected completions.
  ///
  /// @return the number of completions delivered
  int deliver(CompletionSink sink);

  /// Returns true if [#collect] may have work.
  boolean ready();

  /// Returns the longest time the engine may wait while this is not [#ready], for timers of the
  /// transport's own, in nanoseconds; negative without limit.
  default long waitNanos() {
    return -1;
  }

  /// Sets the action that wakes the loop. Any thread runs it after [#ready] has become true; it
  /// costs little while the loop does not sleep.
  void wakeBy(Runnable wake);

  /// Drops staged and armed operations without completing them, and closes all sockets. Chunks that
  /// are still leased stay valid.
  @Override
  void close();
}
