package sluice.http.plugin;

/// Answers the requests below a path of `sluice serve`, as [HttpPlugin] does, but over views: it
/// reads the request where it lies and writes its reply into memory of the server, so that a
/// verifier can find a bound for its work. A jar names it, a public class with a public constructor
/// without parameters, in `META-INF/services/sluice.http.plugin.ViewPlugin`.
///
/// A plug-in for which `sluice verify` finds a bound that is low enough answers on the loop's
/// thread; any other, and a request that is too long for it, on threads of the plug-in's domain. So
/// it is called by several threads, and may block on those of its domain.
@FunctionalInterface
public interface ViewPlugin {
  /// Answers a request. What it throws is logged, in one line, and answered 500.
  ///
  /// @param request good until this method returns
  /// @param reply filled in place; good until this method returns. Of a reply that nothing is
  ///   written to, the status is 200 and the body empty
  void handle(ViewRequest request, ViewReply reply) throws Exception;
}
