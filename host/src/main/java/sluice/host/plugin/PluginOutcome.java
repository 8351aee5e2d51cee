package sluice.host.plugin;

import sluice.http.plugin.PluginReply;

/// What became of a request that a plug-in was to answer.
sealed interface PluginOutcome {
  record Replied(PluginReply reply) implements PluginOutcome {}

  /// The plug-in has sent its reply.
  record Streamed() implements PluginOutcome {}

  /// The body of the request did not come whole.
  ///
  /// @param status for the client
  record Broken(int status) implements PluginOutcome {}

  /// The plug-in threw.
  ///
  /// @param why in one line
  record Failed(String why) implements PluginOutcome {}

  /// The plug-in did not answer.
  enum Unserved implements PluginOutcome {
    /// Its domain waits at its gates.
    OVER_BUDGET,
    /// All its threads run calls, and as many calls wait as may.
    BUSY,
    /// It did not reply in time.
    LATE,
    /// Its domain has ended.
    ENDED,
    /// Another domain has taken its place.
    RETIRED
  }
}
