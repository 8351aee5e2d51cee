package sluice.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.memory.View;

/// Finds the route of a request. Owned by one loop.
///
/// Paths in plain spelling are compared where they are; only one with an escape or a dot segment is
/// made canonical first, so files beside the routes stay cheap.
final class RouteTable {
  private final BoundRoute[] routes;
  private final RequestPath canonical;

  /// @param guards one for each route, shared by the loops
  RouteTable(List<Route> routes, List<HandlerGuard> guards, HttpLimits limits) {
    List<BoundRoute> bound = new ArrayList<>();
    for (int i = 0; i < routes.size(); i++) {
      bound.add(new BoundRoute(routes.get(i), guards.get(i)));
    }
    bound.sort(Comparator.comparingInt(each -> -each.route.prefix().length()));
    this.routes = bound.toArray(new BoundRoute[0]);
    this.canonical = new RequestPath(routes.isEmpty() ? 1 : limits.targetBytes());
  }

  static List<HandlerGuard> guards(List<Route> routes) {
    return routes.stream()
        .map(route -> new HandlerGuard(route.prefix(), route.limit().toNanos()))
        .toList();
  }

  /// Whose request it is; null when it is the site's.
  @Nullable BoundRoute find(HttpRequest request) {
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
