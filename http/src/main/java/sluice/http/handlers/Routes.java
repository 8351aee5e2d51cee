package sluice.http.handlers;

import java.util.ArrayList;
import java.util.List;
import sluice.loop.HandlerGuard;

/// The current routes of a server. Any thread may change them; and each loop applies changes in its
/// [RouteTable] before each batch of requests.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | current | holder of `this` | volatile | volatile |
public final class Routes {
  /// A route and the guard of its interruptlets on all loops.
  public record Admitted(Route route, HandlerGuard guard) {
    static Admitted of(Route route) {
      return new Admitted(route, new HandlerGuard(route.prefix(), route.limit().toNanos()));
    }
  }

  private volatile List<Admitted> current;

  public Routes(List<Route> routes) {
    current = routes.stream().map(Admitted::of).toList();
  }

  /// Returns the routes in the order of their admission. A new list is created after each change.
  public List<Admitted> current() {
    return current;
  }

  /// Adds a route, or replaces the one with the same prefix.
  public synchronized HandlerGuard admit(Route route) {
    Admitted admitted = Admitted.of(route);
    List<Admitted> next = new ArrayList<>(current);
    next.removeIf(each -> each.route.prefix().equals(route.prefix()));
    next.add(admitted);
    current = List.copyOf(next);
    return admitted.guard;
  }

  /// Removes the route with this prefix.
  ///
  /// @return true if there was one
  public synchronized boolean evict(String prefix) {
    List<Admitted> next = new ArrayList<>(current);
    boolean removed = next.removeIf(each -> each.route.prefix().equals(prefix));
    current = List.copyOf(next);
    return removed;
  }
}
