package sluice.http.plugin;

/// Answers the requests below a path of `sluice serve`, in a domain of its own. A jar names its
/// plug-in, a public class with a public constructor without parameters, in
/// `META-INF/services/sluice.http.plugin.HttpPlugin`.
///
/// The server creates one object when it loads the jar, and calls it from several threads of the
/// domain at a time. These are never the threads of the server's loops, so a plug-in may block.
@FunctionalInterface
public interface HttpPlugin {
  /// Answers a request. An exception is logged, in one line, and answered 500. If the reply does
  /// not come within the server's time limit, the request is answered 503 instead; the thread is
  /// interrupted, and a reply that it still returns is dropped.
  ///
  /// @return never null
  PluginReply handle(PluginRequest request) throws Exception;
}
