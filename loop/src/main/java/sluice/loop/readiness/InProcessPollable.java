package sluice.loop.readiness;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// An object that can be watched by an [InProcessDemultiplexer], which is an endpoint of a
/// connection or a listener. Any thread may call.
abstract class InProcessPollable {
  private final AtomicBoolean signalled = new AtomicBoolean();
  private volatile @Nullable InProcessDemultiplexer demultiplexer;
  private int number;

  /// Sets the demultiplexer that is notified of changes from now on. Called on the engine's thread
  /// before it reads [#events].
  final void watched(InProcessDemultiplexer by, int asNumber) {
    number = asNumber;
    demultiplexer = by;
  }

  /// Returns the number under which this object is watched.
  final int number() {
    return number;
  }

  /// Notifies the demultiplexer of a change of the events. Must be called without holding a lock.
  final void changed() {
    InProcessDemultiplexer told = demultiplexer;
    if (told != null && signalled.compareAndSet(false, true)) {
      told.signal(this);
    }
  }

  /// Allows the next signal. The demultiplexer reads the events after this call.
  final void seen() {
    signalled.set(false);
  }

  /// Returns the events of `poll(2)` that are set.
  abstract int events();
}
