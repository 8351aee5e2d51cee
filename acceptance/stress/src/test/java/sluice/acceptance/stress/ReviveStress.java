package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/// A pool frees a block and puts it into use again with other bytes, while a finder leases it and
/// reads twice: it sees the bytes of one owner, or has no lease.
@JCStressTest
@Outcome(id = "1, 1, (0|1)", expect = Expect.ACCEPTABLE, desc = "the owner before")
@Outcome(id = "2, 2, 1", expect = Expect.ACCEPTABLE, desc = "the next owner")
@Outcome(id = "4, 4, 1", expect = Expect.ACCEPTABLE, desc = "no lease")
@Outcome(expect = Expect.FORBIDDEN, desc = "bytes that changed under a lease, or unfinished ones")
@State
public class ReviveStress {
  private final PoolBlock block = new PoolBlock(1);

  /// Finds it.
  @Actor
  public void finder(JJI_Result result) {
    if (block.found()) {
      result.r1 = Bytes.get(block);
      result.r2 = Bytes.get(block);
      block.release();
    } else {
      result.r1 = Bytes.NONE;
      result.r2 = Bytes.NONE;
    }
  }

  /// Lets it go, and uses it again if that was the last lease.
  @Actor
  public void pool(JJI_Result result) {
    block.release();
    if (block.leases() == 0) {
      Bytes.set(block, Bytes.UNFINISHED);
      Bytes.set(block, Bytes.NEW);
      block.used();
      result.r3 = 1;
    }
  }

  /// Gives the bytes back.
  @Arbiter
  public void end(JJI_Result result) {
    block.end();
  }
}
