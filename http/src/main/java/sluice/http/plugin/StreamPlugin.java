package sluice.http.plugin;

import java.io.InputStream;

/// Answers the requests below a path of `sluice serve`, as [HttpPlugin] does, with bodies of any
/// length that stream in both directions: the plug-in reads while the client sends, and the client
/// receives while the plug-in writes. The plug-in of a jar is a public class with a public
/// no-argument constructor, whose name is listed in
/// `META-INF/services/sluice.http.plugin.StreamPlugin`.
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
/// Reads block until the client sends bytes, and writes block while the client reads slowly, so
/// that memory is limited to 64 KiB for a request and about 100 KiB for a reply. During this time
/// the call occupies a thread of the domain and counts towards the limit of concurrent calls. A
/// client that sends less than 16 KiB per second while the server waits for it is answered 408.
///
/// The server's timeout for a plug-in starts with the last byte that was read or written, and is
/// suspended while the server waits for the client.
@FunctionalInterface
public interface StreamPlugin {
  /// Answers a request by [StreamReply#begin] or [StreamReply#send] before this method returns.
  ///
  /// An exception that is thrown before the reply has been started is logged on one line, and the
  /// request is answered 500, or with the status of the exception if it was thrown by `body`. An
  /// exception after that aborts the connection, so that the client does not mistake the partial
  /// reply for a complete one. The unread rest of a body is discarded.
  ///
  /// @param request the request without its body
  /// @param body the body, which may be used until this method returns and is empty if there is
  ///   none
  /// @param reply the reply, which may be used until this method returns
  void handle(PluginRequest request, InputStream body, StreamReply reply) throws Exception;
}
