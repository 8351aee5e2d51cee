package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Two threads revoke the same memory: one of them does, and one lease ends.
@JCStressTest
@Outcome(
    id = {"1, 0, 1", "0, 1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "one of them")
@Outcome(expect = Expect.FORBIDDEN, desc = "both or none, or another number of leases")
@State
public class RevokeTwiceStress {
  private final Gate gate = new Gate();
  private final Block block = Bytes.block(Bytes.OLD);
  private final Memory memory = Memory.over(block, 0, Long.BYTES);

  /// Takes the fresh reference and gives it back.
  @Actor
  public void now(III_Result result) {
    gate.pass();
    try {
      memory.revokeNow().close();
      result.r1 = 1;
    } catch (IllegalStateException ended) {
      result.r1 = 0;
    }
  }

  /// Ends it.
  @Actor
  public void plainly(III_Result result) {
    gate.pass();
    try {
      memory.revoke();
      result.r2 = 1;
    } catch (IllegalStateException ended) {
      result.r2 = 0;
    }
  }

  /// The test's own lease is left.
  @Arbiter
  public void end(III_Result result) {
    result.r3 = block.leases();
    block.release();
  }
}
