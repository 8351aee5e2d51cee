package sluice.http.plugin;

import java.io.InputStream;

/// Answers the requests below a path of `sluice serve`, as [HttpPlugin] does, with bodies of any
/// length that stream in both directions: the plug-in reads while the client sends, and the client
/// receives while the plug-in writes. A jar names it, a public class with a public constructor
/// without parameters, in `META-INF/services/sluice.http.plugin.StreamPlugin`.
///
/// ```
/// public void handle(PluginRequest request, InputStream body, StreamReply reply)
///     throws IOException {
///   try (OutputStream out = reply.begin(200, Map.of("Content-Type", List.of("text/plain")))) {
///     body.transferTo(out);
///   }
/// }
/// ```
///
/// Reads wait for the client, and writes wait while the client reads slowly, so memory is bounded:
/// 64 KiB of a request and some 100 KiB of a reply. Meanwhile the call holds a thread of the
/// domain, and counts towards the limit of concurrent calls. A client that sends less than 16 KiB a
/// second while the server waits for it is answered 408.
///
/// The server's time limit for a plug-in counts from the last byte that was read or written, and
/// does not run while the server waits for the client.
@FunctionalInterface
public interface StreamPlugin {
  /// Answers a request by [StreamReply#begin] or [StreamReply#send], before it returns.
  ///
  /// An exception before that is logged, in one line, and answered 500; an exception thrown by
  /// `body` is answered with its own status. An exception after that cuts the connection off, so
  /// that the client does not take the part it has for the whole. The unread rest of a body is
  /// dropped.
  ///
  /// @param request without its body
  /// @param body may be used until this method returns; empty if there is none
  /// @param reply may be used until this method returns
  void handle(PluginRequest request, InputStream body, StreamReply reply) throws Exception;
}
