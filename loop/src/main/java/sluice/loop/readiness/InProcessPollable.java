package sluice.loop.readiness;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// What an [InProcessPoller] can wait for: one end of a connection, or a listener. Any thread may
/// call.
abstract class InProcessPollable {
  private final AtomicBoolean signalled = new AtomicBoolean();
  private volatile @Nullable InProcessPoller poller;
  private int number;

  /// From now on changes are told to `by`. On the engine's thread, before it looks at [#events].
  final void watched(InProcessPoller by, int asNumber) {
    number = asNumber;
    poller = by;
  }

  /// The number it is watched by.
  final int number() {
    return number;
  }

  /// Its events have changed. Outside of any lock.
  final void changed() {
    InProcessPoller told = poller;
    if (told != null && signalled.compareAndSet(false, true)) {
      told.signal(this);
    }
  }

  /// The poller looks at the events after this.
  final void seen() {
    signalled.set(false);
  }

  /// The events of `poll(2)` that are set.
  abstract int events();
}
