package sluice.http.front;

import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpParser;
import sluice.http.parse.HttpRequest;
import sluice.loop.Connection;
import sluice.memory.View;

/// The files that stand in front of an application, as one loop knows them. All methods belong to
/// the loop's thread; "the request" is what [#parser] has put into [#request] last.
public interface FrontSite {
  /// What is known of the path of a request without waiting.
  enum Known {
    /// A file, whose reply is ready.
    FILE,
    /// No file: the application's.
    ABSENT,
    /// It has to be looked up.
    UNKNOWN
  }

  /// What has become of a request that had to be looked up. Exactly one of the methods is called,
  /// on the loop's thread, unless the connection ends before.
  interface Outcome {
    /// It was a file, and the reply is staged.
    void given(Connection connection);

    /// It is no file.
    ///
    /// @param head has the request, which is the one parsed last until this returns
    void declined(Connection connection, View head);
  }

  HttpParser parser();

  HttpRequest request();

  /// A connection has come.
  ///
  /// @return what the site remembers of it
  Object opened(Connection connection);

  /// What is known of the request's path.
  Known known();

  /// Answers the request, whose path is known to be a file, or finds out whether it is one.
  ///
  /// @param outcome told what has become of a request that had to be looked up
  /// @return whether the reply is staged; otherwise the connection is deferred, or `outcome` told
  boolean answer(Connection connection, Outcome outcome);

  /// The request is answered by a reply that was kept, which is staged.
  ///
  /// @param bodyBytes of its body, as it is framed
  void kept(Connection connection, int status, long bodyBytes);

  /// As [sluice.loop.Protocol#sent].
  void sent(Connection connection);

  /// As [sluice.loop.Protocol#overloaded].
  void overloaded(Connection connection);

  /// As [sluice.loop.Protocol#closed].
  ///
  /// @param session what [#opened] returned; null for a connection that was refused
  void closed(Connection connection, @Nullable Object session);
}
