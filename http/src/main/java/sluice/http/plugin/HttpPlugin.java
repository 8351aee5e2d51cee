package sluice.http.plugin;

/// Answers the requests below a path of `sluice serve` in a separate domain. The plug-in of a jar
/// is a public class with a public no-argument constructor, whose name is listed in
/// `META-INF/services/sluice.http.plugin.HttpPlugin`.
///
/// The server creates a single instance when it loads the jar, and calls it concurrently from
/// several threads of the domain. These are never the threads of the server's loops, so a plug-in
/// may block.
@FunctionalInterface
public interface HttpPlugin {
  /// Answers a request. If an exception is thrown, it is logged on one line and the request is
  /// answered 500. If this method does not return before the server's timeout expires, the request
  /// is answered 503, the thread is interrupted, and its reply is discarded.
  ///
  /// @return the reply, which must not be null
  PluginReply handle(PluginRequest request) throws Exception;
}
