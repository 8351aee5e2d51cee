package sluice.isocket;

import java.util.concurrent.atomic.AtomicLong;

/// The numbers of bytes that the connections of one server socket have received and sent. Any
/// thread may call.
final class ByteCounts {
  /// The bytes received, for interruptlets and for ISockets.
  final AtomicLong received = new AtomicLong();

  /// The bytes that interruptlets and ISockets have passed on for sending.
  final AtomicLong sent = new AtomicLong();
}
