package sluice.isocket;

import java.util.concurrent.atomic.AtomicLong;

/// The counters of the isockets of one loop. Any thread may call.
final class StreamCounters {
  /// The number of segments that were copied on arrival because no lease was available.
  final AtomicLong leasesRefused = new AtomicLong();

  /// The number of views that `readFast` has returned.
  final AtomicLong fastReads = new AtomicLong();

  /// The number of views that were filled and submitted.
  final AtomicLong fastWrites = new AtomicLong();

  /// The number of `writeFast` calls for which no buffer was available.
  final AtomicLong reservationsRefused = new AtomicLong();

  /// The number of messages that an interruptlet has answered.
  final AtomicLong answered = new AtomicLong();

  /// The number of messages that an interruptlet has passed to the application.
  final AtomicLong passed = new AtomicLong();
}
