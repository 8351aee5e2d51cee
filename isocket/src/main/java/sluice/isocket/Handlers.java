package sluice.isocket;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.loop.Framing;
import sluice.loop.HandlerGuard;
import sluice.loop.Interruptlet;

/// The holder of a server socket's interruptlet. Any thread may admit, replace and evict.
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

  /// Evicts an interruptlet unless another one has replaced it.
  @SuppressWarnings("ReferenceEquality") // an admission is itself only
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
