package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// `Memory.lend` and the batched `revoke`: an old holder reads and writes while the owner revokes
/// and a third thread ends the batch. The owner uses the bytes as soon as the lease has ended; the
/// old holder never sees them, and never changes them.
@JCStressTest
@Outcome(id = "4, 2", expect = Expect.ACCEPTABLE, desc = "no access after the lease has ended")
@Outcome(expect = Expect.FORBIDDEN, desc = "an access after it")
@State
public class LentRevokeStress {
  private final Block block = Bytes.block(Bytes.OLD);
  private final OldHolder holder = new OldHolder();
  private final Memory memory = Memory.lend(block, 0, Long.BYTES);

  /// The old holder.
  @Actor
  public void holder(JJ_Result result) {
    result.r1 = holder.use(memory);
  }

  /// The owner.
  @Actor
  public void owner() {
    holder.awaitUse();
    memory.revoke();
    Gate.await(() -> block.leases() == 1);
    Bytes.set(block, Bytes.NEW);
    holder.revoked();
  }

  /// What the bytes are at the end.
  @Arbiter
  public void end(JJ_Result result) {
    result.r2 = Bytes.get(block);
    block.release();
  }
}
