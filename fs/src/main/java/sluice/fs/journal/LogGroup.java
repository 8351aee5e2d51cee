package sluice.fs.journal;

import org.jspecify.annotations.Nullable;

/// What the transactions that commit together have changed. Under the monitor of [Jbd2Journal], by
/// those inside of its gate; once it is being committed, of the journal's thread.
///
/// A block that was touched is in one of three states. The last change decides:
///
/// | state | reached by | at the commit |
/// |---|---|---|
/// | METADATA | [#metadata] | is written to the log |
/// | CONTENT | [#content] | is on the device before the log is |
/// | FREED | [#free] | may be used again once this is stable |
///
/// A freed block is REVOKED too, if older copies of it may be in the log, which are not to be
/// replayed; and KEPT, if the group before promises its content, so that its frame is dropped only
/// when that group is on the device.
final class LogGroup {
  private final LongSet metadata = new LongSet();
  private final LongSet content = new LongSet();
  private final LongSet freed = new LongSet();
  private final LongSet revoked = new LongSet();
  private final LongSet kept = new LongSet();

  /// The point in the order of changes that this makes stable.
  final long point;

  /// When the first transaction joined.
  long sinceNanos;

  /// Blocks that open transactions may still add.
  int credits;

  LogGroup(long point) {
    this.point = point;
  }

  /// A block was changed that goes through the log.
  void metadata(long block) {
    metadata.add(block);
    content.remove(block);
    freed.remove(block);
    revoked.remove(block);
    kept.remove(block);
  }

  /// A block was changed that does not go through the log.
  void content(long block) {
    content.add(block);
    kept.remove(block);
  }

  /// A block was freed.
  ///
  /// @param asContent whether it had content, of which the log has no older copies
  /// @param before the group that is being committed
  /// @return whether the block's frame stays as it is, since `before` promises it
  boolean free(long block, boolean asContent, @Nullable LogGroup before) {
    freed.add(block);
    content.remove(block);
    if (metadata.remove(block) || !asContent) {
      revoked.add(block);
    }
    boolean promised = asContent && before != null && before.content.contains(block);
    if (promised) {
      kept.add(block);
    }
    return promised;
  }

  /// Blocks that will be logged, so far.
  int logged() {
    return metadata.size();
  }

  /// Whether the block is freed, and not yet to be used again.
  boolean frees(long block) {
    return freed.contains(block);
  }

  boolean isEmpty() {
    return metadata.isEmpty() && content.isEmpty() && revoked.isEmpty() && freed.isEmpty();
  }

  boolean needsLog() {
    return !metadata.isEmpty() || !revoked.isEmpty();
  }

  // ---- at the commit ------------------------------------------------------------------------

  long[] metadataBlocks() {
    return metadata.toArray();
  }

  long[] contentBlocks() {
    return content.toArray();
  }

  long[] revokedBlocks() {
    return revoked.toArray();
  }

  /// Freed blocks whose frames have stayed as they were.
  long[] keptBlocks() {
    return kept.toArray();
  }
}
