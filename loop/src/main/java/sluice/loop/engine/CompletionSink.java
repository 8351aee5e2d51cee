package sluice.loop.engine;

/// A receiver of the completions of one [Engine#turn], on the thread that turns the engine.
@FunctionalInterface
public interface CompletionSink {
  /// Handles a completion.
  ///
  /// @param token the token that the operation was staged with
  /// @param result the number of bytes moved or a descriptor if not negative, else a negative errno
  /// @param flags see [Completion]
  void complete(long token, int result, long flags);
}
