package sluice.http.front;

import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.loop.Connection;
import sluice.memory.View;

/// The files in front of an application, as one loop serves them. Only the loop's thread may call;
/// "the request" is the request that [#parser] has put into [#request] last.
public interface FrontSite {
  /// The result of a look-up that does not wait.
  enum Known {
    /// A file, whose reply is ready.
    FILE,
    /// No file; the request belongs to the application.
    ABSENT,
    /// Unknown; the path has to be looked up.
    UNKNOWN
  }

  /// Receives the result for a request that had to be looked up. Exactly one of the methods is
  /// called, on the loop's thread, unless the connection ends before.
  interface Outcome {
    /// Called when the path is a file and the reply is staged.
    void given(Connection connection);

    /// Called when the path is not a file.
    ///
    /// @param head holds the request, which is the one parsed last until this returns
    void declined(Connection connection, View head);
  }

  HttpParser parser();

  HttpRequest request();

  /// Creates the site's state of a new connection.
  ///
  /// @return the state
  Object opened(Connection connection);

  /// Looks up the request's path without waiting.
  Known known();

  /// Answers the request, whose path is known to be a file, or finds out if it is one.
  ///
  /// @param outcome called for a request that had to be looked up
  /// @return true if the reply is staged; otherwise the connection is deferred, or `outcome` was
  ///   called
  boolean answer(Connection connection, Outcome outcome);

  /// Records that a cached reply answers the request and is staged.
  ///
  /// @param bodyBytes the bytes of the body as it is framed
  void kept(Connection connection, int status, long bodyBytes);

  /// Called as [sluice.loop.Protocol#sent].
  void sent(Connection connection);

  /// Called as [sluice.loop.Protocol#overloaded].
  void overloaded(Connection connection);

  /// Called as [sluice.loop.Protocol#closed].
  ///
  /// @param session the result of [#opened]; null for a connection that was refused
  void closed(Connection connection, @Nullable Object session);
}
