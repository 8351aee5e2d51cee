package sluice.acceptance.stress;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// `Memory.lendPart` while another thread ends the whole: the part is refused, or ends with it.
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "refused, or ended with the whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "a part that outlives its whole")
@State
public class LentPartOfEndedStress {
  private final Block block = Bytes.block(Bytes.OLD);
  private final Gate gate = new Gate();
  private final Memory whole = Memory.over(block, 0, Long.BYTES);
  private @Nullable Memory part;

  /// Lends.
  @Actor
  public void lender() {
    gate.pass();
    try {
      part = whole.lendPart(0, Long.BYTES);
    } catch (IllegalStateException ended) {
      part = null;
    }
  }

  /// Ends the whole.
  @Actor
  public void owner() {
    gate.pass();
    whole.revokeNow().close();
  }

  /// Whether there is a part that can be used.
  @Arbiter
  public void end(I_Result result) {
    Memory lent = part;
    result.r1 = lent != null && lent.isLive() ? 0 : 1;
    block.release();
  }
}
