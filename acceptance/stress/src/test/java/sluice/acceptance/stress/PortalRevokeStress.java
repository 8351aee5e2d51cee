package sluice.acceptance.stress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;
import sluice.domain.portal.PortalRevoked;

/// A caller hands a call to the service's thread while the owner revokes the portal: the caller
/// gets the result or is told, and never waits for ever.
@JCStressTest
@Outcome(id = "136", expect = Expect.ACCEPTABLE, desc = "the result")
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "revoked")
@Outcome(expect = Expect.FORBIDDEN, desc = "another result")
@State
public class PortalRevokeStress {
  private final Adder adder = new Adder();
  private final Adder.Adds portal = adder.portal();

  /// The caller.
  @Actor
  public void caller(J_Result result) {
    try {
      result.r1 = portal.add(Adder.terms());
    } catch (PortalRevoked revoked) {
      result.r1 = 0;
    }
  }

  /// The owner.
  @Actor
  public void owner() {
    adder.revoke();
  }
}
