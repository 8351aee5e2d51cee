package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// Two members of one cohort are revoked at the same time, one of them twice: each ends once, the
/// lease of each ends once, and the second has ended when `revokeNow` returns.
@JCStressTest
@Outcome(id = "1, 0, 1, (1|2)", expect = Expect.ACCEPTABLE, desc = "the batch by the first")
@Outcome(id = "0, 1, 1, (1|2)", expect = Expect.ACCEPTABLE, desc = "the batch by the second")
@Outcome(expect = Expect.FORBIDDEN, desc = "both or none, or another number of leases")
@State
public class CohortCloseStress {
  private final Gate gate = new Gate();
  private final Block batched = Bytes.block(Bytes.OLD);
  private final Block atOnce = Bytes.block(Bytes.OLD);
  private final Memory first = Memory.lend(batched, 0, Long.BYTES);
  private final Memory second = Memory.lend(atOnce, 0, Long.BYTES);

  /// Adds one to the batch.
  @Actor
  public void one(IIII_Result result) {
    gate.pass();
    result.r1 = revoke();
  }

  /// Does the same, and closes the cohort.
  @Actor
  public void other(IIII_Result result) {
    gate.pass();
    result.r2 = revoke();
    second.revokeNow().close();
  }

  private int revoke() {
    try {
      first.revoke();
      return 1;
    } catch (IllegalStateException ended) {
      return 0;
    }
  }

  /// The test's own leases are left, and that of a batch which is still open.
  @Arbiter
  public void end(IIII_Result result) {
    result.r3 = atOnce.leases();
    result.r4 = batched.leases();
    atOnce.release();
    batched.release();
  }
}
