package sluice.vi.local;

import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;

/// Thrown if the peer, or its data in the shared memory, violates the rules of the ring. The
/// connection fails, but no memory outside of the ring has been modified.
final class RingViolation extends DeviceException {
  private static final long serialVersionUID = 1L;

  RingViolation(String what) {
    super(Fault.PEER_LOST, what);
  }

  RingViolation(Failure why) {
    super(why.fault(), why.why());
  }
}
