package sluice.loop.engine;

/// A transport in addition to that of the loop's engine, whose bytes are transferred by Java code
/// on the loop's thread. Examples are connections inside the process and our own network stack.
///
/// In each turn the loop calls [#collect], turns its engine, and then calls [#deliver]. All input
/// and output of the turn therefore precedes its first completion, regardless of the transport. The
/// engine waits only while [#ready] returns false. An event that makes it return true wakes the
/// loop.
///
/// Owned by the loop's thread unless a method states otherwise.
public interface UserTransport extends AutoCloseable {
  /// Returns the name of the transport, for example `inprocess`.
  String name();

  /// Returns the sockets. [#collect] performs the operations that are armed or staged on them.
  Transport sockets();

  /// Performs the staged operations and collects what has arrived. Delivers no completions and
  /// never waits.
  void collect();

  /// Delivers the collected completions.
  ///
  /// @return the number of completions delivered
  int deliver(CompletionSink sink);

  /// Returns true if [#collect] may have work to do.
  boolean ready();

  /// Returns the maximum time in nanoseconds for which the engine may wait while this transport is
  /// not [#ready], because of timers of the transport. A negative value means no limit.
  default long waitNanos() {
    return -1;
  }

  /// Sets the action that wakes the loop. Any thread may run it after [#ready] has become true. It
  /// is cheap while the loop is awake.
  void wakeBy(Runnable wake);

  /// Drops staged and armed operations without completing them, and closes all sockets. Chunks that
  /// are still leased remain valid.
  @Override
  void close();
}
