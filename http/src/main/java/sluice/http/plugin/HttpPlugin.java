package sluice.http.plugin;

/// Answers the requests below a path of `sluice serve`, in a domain of its own. A jar names its
/// plug-in, a public class with a public constructor without parameters, in
/// `META-INF/services/sluice.http.plugin.HttpPlugin`.
///
/// The server makes one object when it loads the jar, and calls it from several threads of the
/// domain at a time. The threads are never those of the server's loops, so a plug-in may block.
@FunctionalInterface
public interface HttpPlugin {
  /// Answers a request. What it throws is logged, in one line, and answered 500. A reply that does
  /// not come within the server's time limit is answered 503 instead; the thread is interrupted,
  /// and what it still returns is dropped.
  ///
  /// @return never null
  PluginReply handle(PluginRequest request) throws Exception;
}
