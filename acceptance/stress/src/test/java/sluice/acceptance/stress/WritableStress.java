package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import sluice.memory.block.Block;

/// Copy on write: one of two holders asks for a block to write while the other reads its snapshot
/// and lets it go. The snapshot does not change.
@JCStressTest
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "a snapshot, and what was written")
@Outcome(expect = Expect.FORBIDDEN, desc = "a snapshot that changed")
@State
public class WritableStress {
  private final Block block = Bytes.block(Bytes.OLD);

  /// Adds the reader's lease.
  public WritableStress() {
    block.lease().lengthBytes();
  }

  /// Reads the snapshot.
  @Actor
  public void reader(JJ_Result result) {
    result.r1 = Bytes.get(block);
    block.release();
  }

  /// Writes a copy, or in place.
  @Actor
  public void writer(JJ_Result result) {
    Block own = Bytes.made(block.writable(Bytes.ACCOUNT));
    Bytes.set(own, Bytes.NEW);
    result.r2 = Bytes.get(own);
    own.release();
  }

  /// No lease is left on the first block.
  @Arbiter
  public void end(JJ_Result result) {
    if (block.leases() > 0) {
      result.r1 = -1;
    }
  }
}
