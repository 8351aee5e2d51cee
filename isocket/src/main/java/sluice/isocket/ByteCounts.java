package sluice.isocket;

import java.util.concurrent.atomic.AtomicLong;

/// Bytes that the connections of one server socket have received and sent. Any thread.
final class ByteCounts {
  /// What has come: for interruptlets and for ISockets.
  final AtomicLong received = new AtomicLong();

  /// What interruptlets and ISockets have given to be sent.
  final AtomicLong sent = new AtomicLong();
}
