package sluice.http.handlers;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.memory.View;

/// A [Route] on one loop, with its interruptlet and guard. It is owned by the loop's thread, except
/// for the guard, which is shared by all loops.
public final class BoundRoute {
  final Routes.Admitted admitted;
  final Route route;
  final HandlerGuard guard;
  final @Nullable HttpInterruptlet interruptlet;
  private final byte[] prefix;

  /// True if the prefix ends with a slash, in which case only paths below it match.
  private final boolean below;

  /// Creates the interruptlet.
  BoundRoute(Routes.Admitted admitted) {
    this(admitted, interruptlet(admitted));
  }

  private BoundRoute(Routes.Admitted admitted, @Nullable HttpInterruptlet interruptlet) {
    this.admitted = admitted;
    this.route = admitted.route();
    this.guard = admitted.guard();
    this.interruptlet = interruptlet;
    this.prefix = route.prefix().getBytes(StandardCharsets.UTF_8);
    this.below = prefix[prefix.length - 1] == '/';
  }

  /// Creates the bound route on a loop that already serves other routes. If the interruptlet cannot
  /// be created, each request for the route fails with that exception, and other routes are not
  /// affected.
  static BoundRoute whileServing(Routes.Admitted admitted) {
    try {
      return new BoundRoute(admitted);
    } catch (RuntimeException | Error e) {
      String prefix = admitted.route().prefix();
      return new BoundRoute(
          admitted,
          (request, reply) -> {
            throw new IllegalStateException("the interruptlet of " + prefix + " was not made", e);
          });
    }
  }

  private static @Nullable HttpInterruptlet interruptlet(Routes.Admitted admitted) {
    Supplier<? extends HttpInterruptlet> maker = admitted.route().interruptlets();
    return maker == null ? null : admitted.guard().make(maker);
  }

  /// Returns true if the interruptlet receives only heads, and bodies are discarded.
  boolean dropsBodies() {
    return route.bodyBytes() == 0 && route.deferred() == null;
  }

  boolean matches(View view, int from, int to) {
    int end = from + prefix.length;
    return end <= to
        && view.startsWith(prefix, from)
        && (below || end == to || view.get(end) == '/');
  }

  boolean matches(byte[] path, int length) {
    if (length < prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (path[i] != prefix[i]) {
        return false;
      }
    }
    return below || length == prefix.length || path[prefix.length] == '/';
  }
}
