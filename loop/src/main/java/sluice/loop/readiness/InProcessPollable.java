package sluice.loop.readiness;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// What an [InProcessDemultiplexer] can wait for: one end of a connection, or a listener. Any
/// thread may call.
abstract class InProcessPollable {
  private final AtomicBoolean signalled = new AtomicBoolean();
  private volatile @Nullable InProcessDemultiplexer demultiplexer;
  private int number;

  /// From now on changes are told to `by`. On the engine's thread, before it looks at [#events].
  final void watched(InProcessDemultiplexer by, int asNumber) {
    number = asNumber;
    demultiplexer = by;
  }

  /// The number it is watched by.
  final int number() {
    return number;
  }

  /// Its events have changed. Outside of any lock.
  final void changed() {
    InProcessDemultiplexer told = demultiplexer;
    if (told != null && signalled.compareAndSet(false, true)) {
      told.signal(this);
    }
  }

  /// The demultiplexer looks at the events after this.
  final void seen() {
    signalled.set(false);
  }

  /// The events of `poll(2)` that are set.
  abstract int events();
}
