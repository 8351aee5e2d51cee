package sluice.fs.journal;

import org.jspecify.annotations.Nullable;

/// The changes of the transactions that are committed together. A group is accessed under the
/// monitor of [Jbd2Journal] by threads that are inside of its gate, and by the journal's thread
/// during the commit.
///
/// Each block that was touched is in one of three states, which is determined by the last change:
///
/// | state | reached by | at the commit |
/// |---|---|---|
/// | METADATA | [#metadata] | is written to the log |
/// | CONTENT | [#content] | is on the device before the log is |
/// | FREED | [#free] | may be used again once this is stable |
///
/// A freed block is also REVOKED if the log may contain older copies of it, which must not be
/// replayed. It is KEPT if its content was promised by the previous group, in which case its frame
/// is dropped only after that group has reached the device.
final class LogGroup {
  private final LongSet metadata = new LongSet();
  private final LongSet content = new LongSet();
  private final LongSet freed = new LongSet();
  private final LongSet revoked = new LongSet();
  private final LongSet kept = new LongSet();

  /// The point in the order of changes that becomes durable when this group is committed.
  final long point;

  /// The time at which the first transaction joined this group.
  long sinceNanos;

  /// The number of blocks that may still be added by open transactions.
  int credits;

  LogGroup(long point) {
    this.point = point;
  }

  /// Records a change to a block that is written to the log.
  void metadata(long block) {
    metadata.add(block);
    content.remove(block);
    freed.remove(block);
    revoked.remove(block);
    kept.remove(block);
  }

  /// Records a change to a block that is not written to the log.
  void content(long block) {
    content.add(block);
    kept.remove(block);
  }

  /// Records that a block was freed.
  ///
  /// @param asContent true if the block contained file content, so that the log has no older copies
  ///   of it
  /// @param before the group that is being committed
  /// @return true if the frame of the block must not be changed because its content was promised by
  ///   `before`
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

  /// Returns the number of blocks that have to be logged so far.
  int logged() {
    return metadata.size();
  }

  /// Returns true if this group frees the block, which therefore must not be reused yet.
  boolean frees(long block) {
    return freed.contains(block);
  }

  boolean isEmpty() {
    return metadata.isEmpty() && content.isEmpty() && revoked.isEmpty() && freed.isEmpty();
  }

  boolean needsLog() {
    return !metadata.isEmpty() || !revoked.isEmpty();
  }

  // ---- at the commit ----------------------------------------------------------------------------

  long[] metadataBlocks() {
    return metadata.toArray();
  }

  long[] contentBlocks() {
    return content.toArray();
  }

  long[] revokedBlocks() {
    return revoked.toArray();
  }

  /// Returns the freed blocks whose frames have been kept.
  long[] keptBlocks() {
    return kept.toArray();
  }
}
