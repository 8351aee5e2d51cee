package sluice.http.handlers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.http.parse.HttpLimits;
import sluice.http.parse.HttpMethod;
import sluice.http.parse.HttpRequest;
import sluice.http.parse.RequestPath;
import sluice.http.parse.TargetForm;
import sluice.memory.View;

/// Finds the route of a request. Each loop has its own view of the [Routes]. Owned by the loop's
/// thread.
///
/// When other routes are added or removed, the remaining routes retain their interruptlets. A
/// request that is being answered, or whose body is still arriving, retains the [BoundRoute] that
/// was found for it.
///
/// Paths are usually compared in place. Only a path with an escape or a dot segment is made
/// canonical first, so that routes add little cost to requests for files.
public final class RouteTable {
  private final Routes source;
  private final HttpLimits limits;
  private List<Routes.Admitted> seen;
  private BoundRoute[] routes;
  private RequestPath canonical;

  /// Creates the interruptlets.
  public RouteTable(Routes source, HttpLimits limits) {
    this.source = source;
    this.limits = limits;
    this.seen = source.current();
    this.routes = new BoundRoute[0];
    this.canonical = new RequestPath(1);
    bind(seen.stream().map(BoundRoute::new).toList());
  }

  /// Adopts added and removed routes, and creates the interruptlets of the added ones.
  public void update() {
    List<Routes.Admitted> now = source.current();
    if (now == seen) {
      return;
    }
    List<BoundRoute> next = new ArrayList<>();
    for (Routes.Admitted admitted : now) {
      BoundRoute kept = null;
      for (BoundRoute each : routes) {
        kept = each.admitted == admitted ? each : kept;
      }
      next.add(kept == null ? BoundRoute.whileServing(admitted) : kept);
    }
    seen = now;
    bind(next);
  }

  private void bind(List<BoundRoute> bound) {
    routes =
        bound.stream()
            .sorted(Comparator.comparingInt(each -> -each.route.prefix().length()))
            .toArray(BoundRoute[]::new);
    canonical = new RequestPath(routes.length == 0 ? 1 : limits.targetBytes());
  }

  /// Returns the route of the request, or null if it must be answered by the site.
  public @Nullable BoundRoute find(HttpRequest request) {
    if (routes.length == 0 || !handled(request)) {
      return null;
    }
    View view = request.view();
    int from = request.pathFrom();
    int to = request.pathTo();
    if (plain(view, from, to)) {
      for (BoundRoute route : routes) {
        if (route.matches(view, from, to)) {
          return route;
        }
      }
      return null;
    }
    int length = canonical.parse(request);
    for (BoundRoute route : routes) {
      if (length > 0 && route.matches(canonical.bytes(), length)) {
        return route;
      }
    }
    return null;
  }

  private static boolean handled(HttpRequest request) {
    TargetForm form = request.targetForm();
    HttpMethod method = request.method();
    return (form == TargetForm.ORIGIN || form == TargetForm.ABSOLUTE)
        && method != HttpMethod.TRACE
        && method != HttpMethod.CONNECT
        && !request.hasUnknownExpectation();
  }

  private static boolean plain(View view, int from, int to) {
    if (from == to || view.indexOf((byte) '%', from, to) >= 0) {
      return false;
    }
    int slash = view.indexOf((byte) '/', from, to);
    while (slash >= 0) {
      if (slash + 1 < to && view.get(slash + 1) == '/') {
        return false;
      }
      slash = view.indexOf((byte) '/', slash + 1, to);
    }
    int dot = view.indexOf((byte) '.', from, to);
    while (dot >= 0) {
      if (view.get(dot - 1) == '/') {
        return false;
      }
      dot = view.indexOf((byte) '.', dot + 1, to);
    }
    return true;
  }
}
