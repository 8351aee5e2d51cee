package sluice.loop.engine;

/// A receiver of the completions of one [Engine#turn], on the thread that turns the engine.
@FunctionalInterface
public interface CompletionSink {
  /// Handles a completion.
  ///
  /// @param token the token with which the operation was staged
  /// @param result the number of bytes transferred or a descriptor, or a negative errno
  /// @param flags the flags, see [Completion]
  void complete(long token, int result, long flags);
}
