package sluice.isocket;

import java.util.concurrent.atomic.AtomicLong;

/// What the isockets of one loop count. Any thread.
final class StreamCounters {
  /// Pieces that were copied on arrival because no lease was to be had.
  final AtomicLong leasesRefused = new AtomicLong();

  /// Views that `readFast` has given.
  final AtomicLong fastReads = new AtomicLong();

  /// Views that were filled and handed over.
  final AtomicLong fastWrites = new AtomicLong();

  /// Calls of `writeFast` that found no buffer.
  final AtomicLong reservationsRefused = new AtomicLong();

  /// Messages that an interruptlet has answered.
  final AtomicLong answered = new AtomicLong();

  /// Messages that an interruptlet has left to the application.
  final AtomicLong passed = new AtomicLong();
}
