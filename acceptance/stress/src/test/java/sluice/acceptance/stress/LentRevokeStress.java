package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import sluice.memory.Block;
import sluice.memory.Memory;

/// `Memory.lend` and the batched `revoke`: an old holder writes and reads while the owner revokes,
/// has the batch closed through a neighbour, and uses the bytes once the lease has ended. The old
/// holder never sees the new bytes, and never changes them.
@JCStressTest
@Outcome(id = "(1|4), 2", expect = Expect.ACCEPTABLE, desc = "before the revocation, or none")
@Outcome(id = "(1|4), 1", expect = Expect.ACCEPTABLE, desc = "the batch was not closed yet")
@Outcome(expect = Expect.FORBIDDEN, desc = "an access after the lease has ended")
@State
public class LentRevokeStress {
  private final Block block = Bytes.block(Bytes.OLD);
  private final Block other = Bytes.block(Bytes.OLD);
  private final Memory memory = Memory.lend(block, 0, Long.BYTES);
  private final Memory neighbour = Memory.lend(other, 0, Long.BYTES);

  /// The old holder.
  @Actor
  public void holder(JJ_Result result) {
    try {
      memory.setLong(0, Bytes.OLD);
      result.r1 = memory.getLong(0);
    } catch (IllegalStateException revoked) {
      result.r1 = Bytes.NONE;
    }
  }

  /// The owner.
  @Actor
  public void owner() {
    memory.revoke();
    neighbour.revokeNow().close();
    if (block.leases() == 1) {
      Bytes.set(block, Bytes.NEW);
    }
  }

  /// What the bytes are at the end.
  @Arbiter
  public void end(JJ_Result result) {
    result.r2 = Bytes.get(block);
    block.release();
    other.release();
  }
}
