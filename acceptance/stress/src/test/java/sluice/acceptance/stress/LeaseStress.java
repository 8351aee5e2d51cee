package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// A finder leases a block while its holder releases it: the lease holds the block, or there is
/// none.
@JCStressTest
@Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "leased: not freed")
@Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "freed: no lease")
@Outcome(expect = Expect.FORBIDDEN, desc = "a lease on a block that was freed")
@State
public class LeaseStress {
  private final PoolBlock block = new PoolBlock(1);

  /// Finds it.
  @Actor
  public void finder(III_Result result) {
    result.r1 = block.found() ? 1 : 0;
  }

  /// Lets it go.
  @Actor
  public void holder() {
    block.release();
  }

  /// What has become of it.
  @Arbiter
  public void end(III_Result result) {
    result.r2 = block.frees();
    result.r3 = block.leases();
    block.end();
  }
}
