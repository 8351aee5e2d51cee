package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/// Two holders release: the block is freed once, by the last. A third release is refused.
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "freed once")
@Outcome(expect = Expect.FORBIDDEN, desc = "freed twice or not at all")
@State
public class ReleaseStress {
  private final PoolBlock block = new PoolBlock(2);

  /// A holder.
  @Actor
  public void one() {
    block.release();
  }

  /// Another.
  @Actor
  public void other() {
    block.release();
  }

  /// What has become of it.
  @Arbiter
  public void end(II_Result result) {
    try {
      block.release();
      result.r1 = -1;
    } catch (IllegalStateException refused) {
      result.r1 = block.frees();
    }
    result.r2 = block.leases();
    block.end();
  }
}
