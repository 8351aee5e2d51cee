package sluice.http.handlers;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.memory.View;

/// A [Route] on one loop: its interruptlet and what watches it. Owned by the loop's thread; the
/// guard is that of all loops.
public final class BoundRoute {
  final Routes.Admitted admitted;
  final Route route;
  final HandlerGuard guard;
  final @Nullable HttpInterruptlet interruptlet;
  private final byte[] prefix;

  /// A slash behind the prefix is part of it.
  private final boolean below;

  /// Makes the interruptlet.
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

  /// As the constructor, on a loop that serves other routes already: where the interruptlet cannot
  /// be made, each request of the route fails for that reason, and nothing else does.
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

  /// Whether the interruptlet is shown heads alone, whatever follows them.
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
