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

/// `Memory.lendPart`, as a portal call lends: a callee reads and writes while the caller ends the
/// part. The caller uses the bytes through the whole as soon as the part's lease has ended; the
/// callee never sees them, and never changes them.
@JCStressTest
@Outcome(id = "4, 2", expect = Expect.ACCEPTABLE, desc = "no access after the part has ended")
@Outcome(expect = Expect.FORBIDDEN, desc = "an access after it")
@State
public class LentPartStress {
  private final Block block = Bytes.block(Bytes.OLD);
  private final OldHolder holder = new OldHolder();
  private final Memory whole = Memory.over(block, 0, Long.BYTES);
  private final Memory part = whole.lendPart(0, Long.BYTES);

  /// The callee.
  @Actor
  public void holder(JJ_Result result) {
    result.r1 = holder.use(part);
  }

  /// The caller.
  @Actor
  public void owner() {
    int others = block.leases() - 1;
    holder.awaitUse();
    part.close();
    Gate.await(() -> block.leases() == others);
    whole.setLong(0, Bytes.NEW);
    holder.revoked();
  }

  /// What the bytes are at the end.
  @Arbiter
  public void end(JJ_Result result) {
    result.r2 = whole.getLong(0);
    whole.close();
    block.release();
  }
}
