package sluice.http.plugin;

/// Answers the requests below a path of `sluice serve`, as [HttpPlugin] does, but over views: it
/// reads the request in place and writes its reply into memory of the server, so that a verifier
/// can find a bound for its work. A jar names it, a public class with a public constructor without
/// parameters, in `META-INF/services/sluice.http.plugin.ViewPlugin`.
///
/// If `sluice verify` finds a bound that is low enough, the plug-in answers on the loop's thread;
/// otherwise, and for requests that are too long, on threads of the plug-in's domain. Several
/// threads therefore call it, and it may block on those of its domain.
@FunctionalInterface
public interface ViewPlugin {
  /// Answers a request. An exception is logged, in one line, and answered 500.
  ///
  /// @param request valid until this method returns
  /// @param reply filled in place; valid until this method returns. If the plug-in writes nothing,
  ///   the status is 200 and the body empty
  void handle(ViewRequest request, ViewReply reply) throws Exception;
}
