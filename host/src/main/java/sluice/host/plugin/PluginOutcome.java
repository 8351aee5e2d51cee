package sluice.host.plugin;

import sluice.http.plugin.PluginReply;

/// The outcome of a request to a plug-in.
sealed interface PluginOutcome {
  record Replied(PluginReply reply) implements PluginOutcome {}

  /// The plug-in has sent its reply as a stream.
  record Streamed() implements PluginOutcome {}

  /// The body of the request could not be received completely.
  ///
  /// @param status the status of the reply
  record Broken(int status) implements PluginOutcome {}

  /// The plug-in threw an exception.
  ///
  /// @param why the reason in one line
  record Failed(String why) implements PluginOutcome {}

  /// The plug-in has not answered the request.
  enum Unserved implements PluginOutcome {
    /// The domain of the plug-in has exceeded its budget.
    OVER_BUDGET,
    /// All threads are busy, and the queue is full.
    BUSY,
    /// The plug-in did not reply before the timeout expired.
    LATE,
    /// The domain of the plug-in has terminated.
    ENDED,
    /// The plug-in has been replaced by another version.
    RETIRED
  }
}
