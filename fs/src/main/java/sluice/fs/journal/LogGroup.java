package sluice.fs.journal;

import org.jspecify.annotations.Nullable;

/// The changes of the transactions that commit together. Accessed under the monitor of
/// [Jbd2Journal] by threads inside of its gate; during the commit, by the journal's thread.
///
/// Each block that was touched is in one of three states. The last change decides:
///
/// | state | reached by | at the commit |
/// |---|---|---|
/// | METADATA | [#metadata] | is written to the log |
/// | CONTENT | [#content] | is on the device before the log is |
/// | FREED | [#free] | may be used again once this is stable |
///
/// A freed block is also REVOKED if the log may contain older copies of it, which must not be
/// replayed. It is KEPT if the previous group promises its content: its frame is dropped only when
/// that group is on the device.
final class LogGroup {
  private final LongSet metadata = new LongSet();
  private final LongSet content = new LongSet();
  private final LongSet freed = new LongSet();
  private final LongSet revoked = new LongSet();
  private final LongSet kept = new LongSet();

  /// The point in the order of changes that the commit of this group makes stable.
  final long point;

  /// The time at which the first transaction joined.
  long sinceNanos;

  /// The number of blocks that open transactions may still add.
  int credits;

  LogGroup(long point) {
    this.point = point;
  }

  /// Records a change of a block that goes through the log.
  void metadata(long block) {
    metadata.add(block);
    content.remove(block);
    freed.remove(block);
    revoked.remove(block);
    kept.remove(block);
  }

  /// Records a change of a block that does not go through the log.
  void content(long block) {
    content.add(block);
    kept.remove(block);
  }

  /// Records that a block was freed.
  ///
  /// @param asContent true if it had content, of which the log has no older copies
  /// @param before the group being committed
  /// @return true if the block's frame must not change, because `before` promises its content
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

  /// Returns the number of blocks to be logged, so far.
  int logged() {
    return metadata.size();
  }

  /// Returns true if this group frees the block, which must not be reused yet.
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

  /// Returns the freed blocks whose frames were kept.
  long[] keptBlocks() {
    return kept.toArray();
  }
}
