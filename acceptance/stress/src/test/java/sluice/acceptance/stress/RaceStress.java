package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/// A count of leases that is not atomic. It must fail: a machine on which it does not shows nothing
/// by the other tests.
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "freed once")
@Outcome(expect = Expect.FORBIDDEN, desc = "freed twice or not at all")
@State
public class RaceStress {
  private int leases = 2;
  private int frees;

  /// A holder.
  @Actor
  public void one() {
    release();
  }

  /// Another.
  @Actor
  public void other() {
    release();
  }

  private void release() {
    if (--leases == 0) {
      frees++;
    }
  }

  /// How often it was freed.
  @Arbiter
  public void end(I_Result result) {
    result.r1 = frees;
  }
}
