package sluice.http.plugin;

import java.io.InputStream;

/// Answers the requests below a path of `sluice serve`, as [HttpPlugin] does, with bodies of any
/// length that stream both ways: it reads what the client sends while that comes, and the client
/// gets what it writes. A jar names it, a public class with a public constructor without
/// parameters, in `META-INF/services/sluice.http.plugin.StreamPlugin`.
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
/// Reads wait for the client and writes wait while it reads slowly, so memory is bounded: 64 KiB of
/// a request and some 100 KiB of a reply. A thread of the domain is held meanwhile, and counts as
/// one of the calls that run at once. A client that brings less than 16 KiB a second while it is
/// waited for is answered 408.
///
/// The server's time limit for a plug-in counts from the last byte that was read or written, and
/// not while the client is waited for.
@FunctionalInterface
public interface StreamPlugin {
  /// Answers a request by [StreamReply#begin] or [StreamReply#send], before it returns.
  ///
  /// What it throws before that is logged, in one line, and answered 500; what `body` has thrown is
  /// answered with the status for the client. What it throws later cuts the connection off, so that
  /// the client does not take what it has for the whole. A body that was not read to its end is
  /// dropped.
  ///
  /// @param request without its body
  /// @param body of use until this method returns; empty when there is none
  /// @param reply of use until this method returns
  void handle(PluginRequest request, InputStream body, StreamReply reply) throws Exception;
}
