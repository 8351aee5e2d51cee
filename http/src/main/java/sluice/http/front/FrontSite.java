package sluice.http.front;

import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.loop.Connection;
import sluice.memory.View;

/// The files in front of an application, as served by one loop. Only the loop's thread may call.
/// "The request" is the request that [#parser] has most recently stored in [#request].
public interface FrontSite {
  /// The result of a look-up that does not block.
  enum Known {
    /// The path is a file whose reply is ready.
    FILE,
    /// The path is not a file, so the request is for the application.
    ABSENT,
    /// It is unknown if the path is a file, so the path must be looked up.
    UNKNOWN
  }

  /// Receives the result for a request that had to be looked up. Exactly one of its methods is
  /// called, on the loop's thread, unless the connection is closed first.
  interface Outcome {
    /// Called if the path is a file, after the reply has been staged.
    void given(Connection connection);

    /// Called if the path is not a file.
    ///
    /// @param head contains the request, which is the most recently parsed request until this
    ///   method returns
    void declined(Connection connection, View head);
  }

  HttpParser parser();

  HttpRequest request();

  /// Creates the state that the site associates with a new connection.
  ///
  /// @return the state
  Object opened(Connection connection);

  /// Looks up the request's path without blocking.
  Known known();

  /// Answers the request if its path is known to be a file. Otherwise looks up the path.
  ///
  /// @param outcome receives the result if the path had to be looked up
  /// @return true if the reply was staged; otherwise the connection is deferred, or `outcome` was
  ///   invoked
  boolean answer(Connection connection, Outcome outcome);

  /// Records that the request is answered by a cached reply, which has been staged.
  ///
  /// @param bodyBytes the number of bytes of the body including its framing
  void kept(Connection connection, int status, long bodyBytes);

  /// Called in the same way as [sluice.loop.Protocol#sent].
  void sent(Connection connection);

  /// Called in the same way as [sluice.loop.Protocol#overloaded].
  void overloaded(Connection connection);

  /// Called in the same way as [sluice.loop.Protocol#closed].
  ///
  /// @param session the result of [#opened], or null for a connection that was refused
  void closed(Connection connection, @Nullable Object session);
}
