package sluice.loop.engine;

/// Receives the completions of one [Engine#turn], on the thread that turns the engine.
@FunctionalInterface
public interface CompletionSink {
  /// @param token what the operation was staged with
  /// @param result bytes moved or a descriptor when not negative, else a negative errno
  /// @param flags see [Completion]
  void complete(long token, int result, long flags);
}
