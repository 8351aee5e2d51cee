package sluice.nfs.rpc;

/// Checks that a client sends its record fast enough to justify the memory that other clients are
/// waiting for. Instances are owned by the loop's thread.
///
/// Only delays that are caused by the client are counted. After the server has suspended the input,
/// the client is granted some time to continue. After a pause of the server itself, a record that
/// appears to be late is checked again after its pending input has been read.
final class MinimumDataRate {
  /// The base time that is allowed for a record. The time for its bytes at 250 kB/s is added to it.
  static final long GRACE_NANOS = 1_000_000_000L;

  static final long NANOS_PER_BYTE = 4_000;

  /// The time that is granted after an interruption. It is shorter than the interval at which a
  /// stream retries to acquire memory.
  static final long MOMENT_NANOS = 200_000_000L;

  /// The deadline of the record, not including the time that is allowed for its bytes.
  private long dueNanos;

  private boolean suspected;
  private long suspectedNanos;

  /// Starts the timer for a new record.
  void begin(long now) {
    dueNanos = now + GRACE_NANOS;
    suspected = false;
  }

  /// Restarts the timer after the server has suspended the input.
  ///
  /// @param bytes the number of bytes of the record that have been received
  void resume(long now, int bytes) {
    long due = now + MOMENT_NANOS - NANOS_PER_BYTE * bytes;
    if (due - dueNanos > 0) {
      dueNanos = due;
    }
    suspected = false;
  }

  /// Returns true if the record is received too slowly. Called only if there is not enough memory
  /// and the server has not suspended the input.
  ///
  /// @param bytes the number of bytes of the record that have been received
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
