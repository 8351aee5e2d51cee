package sluice.isocket;

import java.util.concurrent.atomic.AtomicLong;

/// The numbers of bytes received and sent by the connections of one server socket. Any thread may
/// call.
final class ByteCounts {
  /// The number of bytes received, both for interruptlets and for ISockets.
  final AtomicLong received = new AtomicLong();

  /// The number of bytes that interruptlets and ISockets have submitted for sending.
  final AtomicLong sent = new AtomicLong();
}
