package sluice.isocket;

import java.util.concurrent.atomic.AtomicLong;

/// The counters of the isockets of one loop. Any thread may call.
final class StreamCounters {
  /// The number of pieces that were copied on arrival because no lease was available.
  final AtomicLong leasesRefused = new AtomicLong();

  /// The number of views that `readFast` has returned.
  final AtomicLong fastReads = new AtomicLong();

  /// The number of views that were filled and handed over.
  final AtomicLong fastWrites = new AtomicLong();

  /// The number of `writeFast` calls that found no buffer.
  final AtomicLong reservationsRefused = new AtomicLong();

  /// The number of messages that an interruptlet has answered.
  final AtomicLong answered = new AtomicLong();

  /// The number of messages that an interruptlet has passed to the application.
  final AtomicLong passed = new AtomicLong();
}
