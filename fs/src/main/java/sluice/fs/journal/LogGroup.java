package sluice.fs.journal;

/// What the transactions that commit together have changed. Under the monitor of [Jbd2Journal], by
/// those inside of its gate; once it is being committed, of the journal's thread.
final class LogGroup {
  /// Metadata to be logged.
  final LongSet metadata = new LongSet();

  /// Content to be on the device before.
  final LongSet content = new LongSet();

  /// Metadata that was freed: older copies in the log are not to be replayed.
  final LongSet revoked = new LongSet();

  /// Blocks that may be used again when this is stable.
  final LongSet freed = new LongSet();

  /// Among them content whose frames are still as they were.
  final LongSet freedContent = new LongSet();

  /// The point in the order of changes that this makes stable.
  final long point;

  /// When the first transaction joined.
  long sinceNanos;

  /// Blocks that open transactions may still add.
  int credits;

  LogGroup(long point) {
    this.point = point;
  }

  boolean isEmpty() {
    return metadata.isEmpty() && content.isEmpty() && revoked.isEmpty() && freed.isEmpty();
  }

  boolean needsLog() {
    return !metadata.isEmpty() || !revoked.isEmpty();
  }
}
