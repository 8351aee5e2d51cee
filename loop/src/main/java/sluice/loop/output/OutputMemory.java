package sluice.loop.output;

import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// What the output of one loop is made of: staging memory, blocks for what peers do not read, and
/// pooled segments. Owned by the loop's thread.
///
/// Of the two stagings, one is filled while the sends of the other are with the kernel.
public final class OutputMemory {
  private final Account kept;
  private Staging staging;
  private Staging submitted;
  private @Nullable OutSegment pool;

  /// @param name of the loop, for reports
  /// @param stagingBytes staged in one turn before input waits
  /// @param keptBytes blocks for what peers do not read
  public OutputMemory(String name, int stagingBytes, long keptBytes) {
    Account stagings = new Account(name + " staging", 16L * stagingBytes);
    this.kept = new Account(name + " output", keptBytes);
    this.staging = new Staging(stagings, stagingBytes);
    this.submitted = new Staging(stagings, stagingBytes);
  }

  /// What replies are written to now.
  public Staging staging() {
    return staging;
  }

  /// The account of what peers do not read.
  public Account kept() {
    return kept;
  }

  /// @return null when the account has no room
  public @Nullable Block allocate(int bytes) {
    return Block.allocate(kept, bytes);
  }

  /// Bytes that this turn and the one before have staged, as far as they are not settled.
  public long stagedBytes() {
    return staging.usedBytes() + submitted.usedBytes();
  }

  /// What was staged is submitted; the other staging is filled from now on.
  public void swap() {
    Staging filled = staging;
    staging = submitted;
    submitted = filled;
  }

  /// What was submitted has been settled.
  public void settled() {
    submitted.reset();
  }

  public OutSegment takeSegment() {
    OutSegment segment = pool;
    if (segment == null) {
      return new OutSegment();
    }
    pool = segment.next;
    segment.next = null;
    return segment;
  }

  public void giveSegment(OutSegment segment) {
    segment.next = pool;
    pool = segment;
  }

  public void close() {
    staging.close();
    submitted.close();
  }
}
