package sluice.nfs.rpc;

/// Checks that a client sends its record fast enough to keep memory that other clients wait for.
/// Owned by the loop's thread.
///
/// Only delays of the client count. After the server has held up the input, the client gets a
/// moment to continue. After a pause of the server itself, a record that looks late gets a second
/// look a moment later, when its pending input has been read.
final class MinimumDataRate {
  /// A record may take this time plus the time of its bytes at 250 kB/s.
  static final long GRACE_NANOS = 1_000_000_000L;

  static final long NANOS_PER_BYTE = 4_000;

  /// The length of a moment. It is shorter than the time after which a stream retries to get
  /// memory.
  static final long MOMENT_NANOS = 200_000_000L;

  /// The deadline of the record, without the time that its bytes add.
  private long dueNanos;

  private boolean suspected;
  private long suspectedNanos;

  /// Starts the clock for a new record.
  void begin(long now) {
    dueNanos = now + GRACE_NANOS;
    suspected = false;
  }

  /// Restarts the clock after the server has held up the input.
  ///
  /// @param bytes the received length of the record
  void resume(long now, int bytes) {
    long due = now + MOMENT_NANOS - NANOS_PER_BYTE * bytes;
    if (due - dueNanos > 0) {
      dueNanos = due;
    }
    suspected = false;
  }

  /// Returns true if the record is too slow. Called only when memory is short and the server does
  /// not hold up the input.
  ///
  /// @param bytes the received length of the record
  boolean late(long now, int bytes) {
    if (now - dueNanos <= NANOS_PER_BYTE * bytes) {
      suspected = false;
      return false;
    }
    if (!suspected) {
      suspected = true;
      suspectedNanos = now;
    }
    return now - suspectedNanos > MOMENT_NANOS;
  }
}
