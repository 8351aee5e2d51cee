package sluice.loop.engine;

/// A transport beside that of the loop's engine, whose bytes are moved by Java code on the loop's
/// thread: connections inside of the process, or a network stack of our own.
///
/// In each turn the loop calls [#collect], then turns its engine, then calls [#deliver]: so all
/// input and output of the turn comes before its first completion, whichever transport that is of.
/// The engine waits only while [#ready] is false; what makes it true wakes the loop.
///
/// Of the loop's thread, except where a method says otherwise.
public interface UserTransport extends AutoCloseable {
  /// `inprocess`, for example.
  String name();

  /// The sockets. What is armed or staged on them, [#collect] carries out.
  Transport sockets();

  /// Carries out what is staged and takes in what has come. Delivers nothing, never waits.
  void collect();

  /// Delivers what was collected.
  ///
  /// @return completions delivered
  int deliver(CompletionSink sink);

  /// Whether [#collect] has something to do, or may have.
  boolean ready();

  /// How long the engine may wait although this is not [#ready], for timers of the transport's own;
  /// negative without limit.
  default long waitNanos() {
    return -1;
  }

  /// Says what wakes the loop. It is run, by any thread, after [#ready] has become true; it costs
  /// little while the loop does not sleep.
  void wakeBy(Runnable wake);

  /// Drops what is staged and armed without completing it, and closes all sockets. Chunks that are
  /// still leased stay valid.
  @Override
  void close();
}
