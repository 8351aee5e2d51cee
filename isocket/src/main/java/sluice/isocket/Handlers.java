package sluice.isocket;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;

/// Holds the interruptlet of a server socket. Any thread may admit, replace and evict it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `admission` | any thread | volatile | volatile, under this object's lock |
final class Handlers {
  /// An admitted interruptlet with its guard and framing.
  record Admission(HandlerGuard guard, Framing framing, Supplier<? extends Interruptlet> perLoop) {}

  private final ByteCounts counts = new ByteCounts();
  private volatile @Nullable Admission admission;

  /// Returns the byte counts of all connections of the server socket.
  ByteCounts counts() {
    return counts;
  }

  synchronized HandlerGuard admit(
      String name, Framing framing, Supplier<? extends Interruptlet> perLoop, Duration limit) {
    HandlerGuard guard = new HandlerGuard(name, limit.toNanos());
    admission = new Admission(guard, framing, perLoop);
    return guard;
  }

  synchronized void evict() {
    admission = null;
  }

  /// Evicts the given interruptlet unless it has been replaced.
  @SuppressWarnings("ReferenceEquality") // admissions are compared by identity
  synchronized void evict(HandlerGuard guard) {
    Admission now = admission;
    if (now != null && now.guard() == guard) {
      admission = null;
    }
  }

  @Nullable Admission admission() {
    return admission;
  }
}
