package sluice.http;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.HandlerGuard;
import sluice.memory.View;

/// A [Route] on one loop: its interruptlet and what watches it. Owned by the loop's thread; the
/// guard is that of all loops.
final class BoundRoute {
  final Route route;
  final HandlerGuard guard;
  final @Nullable HttpInterruptlet interruptlet;
  private final byte[] prefix;

  /// A slash behind the prefix is part of it.
  private final boolean below;

  BoundRoute(Route route, HandlerGuard guard) {
    this.route = route;
    this.guard = guard;
    Supplier<? extends HttpInterruptlet> maker = route.interruptlets();
    this.interruptlet = maker == null ? null : maker.get();
    this.prefix = route.prefix().getBytes(StandardCharsets.UTF_8);
    this.below = prefix[prefix.length - 1] == '/';
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
