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

/// Lent memory that is moved to another arena because a neighbour is revoked: what its holder
/// writes and reads meanwhile arrives and does not fail, through a part too.
@JCStressTest
@Outcome(id = "200, 200", expect = Expect.ACCEPTABLE, desc = "written, and read again")
@Outcome(expect = Expect.FORBIDDEN, desc = "an access was lost")
@State
public class LentNeighbourStress {
  private static final long USES = 200;

  private final Block block = Bytes.block(Bytes.OLD);
  private final Block other = Bytes.block(Bytes.OLD);
  private final Memory memory = Memory.lend(block, 0, Long.BYTES);
  private final Memory part = memory.slice(0, Long.BYTES);
  private final Memory neighbour = Memory.lend(other, 0, Long.BYTES);

  /// The holder.
  @Actor
  public void holder(JJ_Result result) {
    long right = 0;
    for (long value = 1; value <= USES; value++) {
      memory.setLong(0, value);
      right += part.getLong(0) == value ? 1 : 0;
    }
    result.r1 = right;
  }

  /// The owner of the neighbour.
  @Actor
  public void owner() {
    neighbour.revokeNow().close();
  }

  /// What the bytes are at the end.
  @Arbiter
  public void end(JJ_Result result) {
    result.r2 = Bytes.get(block);
    memory.revoke();
    block.release();
    other.release();
  }
}
