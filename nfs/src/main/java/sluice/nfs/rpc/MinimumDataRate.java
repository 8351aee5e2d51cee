package sluice.nfs.rpc;

/// Whether a client sends its record fast enough to keep memory that others wait for. Owned by the
/// loop's thread.
///
/// Only what is the client's doing counts against it. Not the time for which the server has held it
/// up: afterwards it has a moment to go on. And not a pause of the server itself: a record that is
/// found late is looked at again a moment later, when what has come meanwhile has been read.
final class MinimumDataRate {
  /// A record has this and the time that its bytes take at 250 kB a second.
  static final long GRACE_NANOS = 1_000_000_000L;

  static final long NANOS_PER_BYTE = 4_000;

  /// Shorter than what a stream waits before it tries again to get memory.
  static final long MOMENT_NANOS = 200_000_000L;

  /// When the record is late, but for the time that its bytes have earned.
  private long dueNanos;

  private boolean suspected;
  private long suspectedNanos;

  /// The first of a record has come.
  void begin(long now) {
    dueNanos = now + GRACE_NANOS;
    suspected = false;
  }

  /// The server goes on to read what it has held up.
  ///
  /// @param bytes that have come of the record
  void resume(long now, int bytes) {
    long due = now + MOMENT_NANOS - NANOS_PER_BYTE * bytes;
    if (due - dueNanos > 0) {
      dueNanos = due;
    }
    suspected = false;
  }

  /// Whether the record must give way. Asked only when memory is short, and while the server does
  /// not hold the record up.
  ///
  /// @param bytes that have come of the record
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
