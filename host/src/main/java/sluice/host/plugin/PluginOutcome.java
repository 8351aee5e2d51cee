package sluice.host.plugin;

import sluice.http.plugin.PluginReply;

/// The outcome of a request to a plug-in.
sealed interface PluginOutcome {
  record Replied(PluginReply reply) implements PluginOutcome {}

  /// The plug-in has sent its reply as a stream.
  record Streamed() implements PluginOutcome {}

  /// The body of the request was not received completely.
  ///
  /// @param status the status of the reply
  record Broken(int status) implements PluginOutcome {}

  /// The plug-in threw an exception.
  ///
  /// @param why the reason in one line
  record Failed(String why) implements PluginOutcome {}

  /// The plug-in did not answer.
  enum Unserved implements PluginOutcome {
    /// Its domain is over its budget.
    OVER_BUDGET,
    /// All its threads are busy and the queue is full.
    BUSY,
    /// It did not reply in time.
    LATE,
    /// Its domain has ended.
    ENDED,
    /// Another version has replaced it.
    RETIRED
  }
}
