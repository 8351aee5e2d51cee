package sluice.loop.output;

import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.block.Block;

/// The memory for the output of one loop. It consists of staging memory, blocks for bytes that
/// peers do not read, and pooled segments. Owned by the loop's thread.
///
/// There are two staging areas. One is filled while the sends of the other are being processed by
/// the kernel.
public final class OutputMemory {
  private final Account kept;
  private Staging staging;
  private Staging submitted;
  private @Nullable OutSegment pool;

  /// @param name the name of the loop, for reports
  /// @param stagingBytes the number of bytes staged in one turn at which input waits
  /// @param keptBytes the maximum size of the blocks for output that peers do not read
  public OutputMemory(String name, int stagingBytes, long keptBytes) {
    Account stagings = new Account(name + " staging", 16L * stagingBytes);
    this.kept = new Account(name + " output", keptBytes);
    this.staging = new Staging(stagings, stagingBytes);
    this.submitted = new Staging(stagings, stagingBytes);
  }

  /// Returns the staging area to which replies are currently written.
  public Staging staging() {
    return staging;
  }

  /// Returns the account of output that peers do not read.
  public Account kept() {
    return kept;
  }

  /// Allocates a block for output that a peer does not read.
  ///
  /// @return the block, or null if the account does not have enough room
  public @Nullable Block allocate(int bytes) {
    return Block.allocate(kept, bytes);
  }

  /// Returns the number of bytes that were staged in this turn and the previous one and have not
  /// been settled.
  public long stagedBytes() {
    return staging.usedBytes() + submitted.usedBytes();
  }

  /// Exchanges the staging areas. The filled one is submitted, and the other one is filled from now
  /// on.
  public void swap() {
    Staging filled = staging;
    staging = submitted;
    submitted = filled;
  }

  /// Resets the submitted staging area after its sends have been settled.
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
