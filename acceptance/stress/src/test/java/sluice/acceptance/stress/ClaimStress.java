package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/// A writer claims an offered block and writes it in place, while a finder leases it and reads
/// twice: it sees the bytes before or after, never those in between.
@JCStressTest
@Outcome(id = "1, 1, (0|1)", expect = Expect.ACCEPTABLE, desc = "before, or it was not claimed")
@Outcome(id = "2, 2, 1", expect = Expect.ACCEPTABLE, desc = "afterwards")
@Outcome(id = "4, 4, 1", expect = Expect.ACCEPTABLE, desc = "no lease while it was claimed")
@Outcome(expect = Expect.FORBIDDEN, desc = "bytes that changed under a lease, or unfinished ones")
@State
public class ClaimStress {
  private final PoolBlock block = new PoolBlock(1);

  /// Offers the block.
  public ClaimStress() {
    block.offered();
  }

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

  /// Writes in place.
  @Actor
  public void writer(JJI_Result result) {
    if (block.claimed()) {
      Bytes.set(block, Bytes.UNFINISHED);
      Bytes.set(block, Bytes.NEW);
      block.unclaimed();
      result.r3 = 1;
    }
  }

  /// Gives the bytes back.
  @Arbiter
  public void end(JJI_Result result) {
    block.end();
  }
}
