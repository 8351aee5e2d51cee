package sluice.acceptance.stress;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;
import sluice.domain.portal.CallCancelled;

/// A caller is interrupted in its first call, which ends its wait and interrupts the service. That
/// interrupt is never one of its second call.
@JCStressTest
@Outcome(id = "(136|0|-1), 136", expect = Expect.ACCEPTABLE, desc = "the second is not disturbed")
@Outcome(expect = Expect.FORBIDDEN, desc = "the second call was interrupted")
@State
public class PortalInterruptStress {
  private final Adder adder = new Adder();
  private final Adder.Adds portal = adder.portal();
  private volatile @Nullable Thread calling;
  private volatile boolean interrupted;

  /// The caller. It leaves no interrupt behind for what runs in its thread later.
  @Actor
  public void caller(JJ_Result result) {
    calling = Thread.currentThread();
    try {
      result.r1 = portal.add(Adder.terms());
    } catch (CallCancelled cancelled) {
      result.r1 = 0;
    }
    Gate.await(() -> interrupted);
    boolean _ = Thread.interrupted();
    result.r2 = portal.add(Adder.terms());
  }

  /// Interrupts the caller.
  @Actor
  public void interrupter() {
    Gate.await(() -> calling != null);
    Objects.requireNonNull(calling).interrupt();
    interrupted = true;
  }

  /// Ends the service and its thread.
  @Arbiter
  public void end(JJ_Result result) {
    adder.revoke();
  }
}
