package sluice.vi.local;

import java.io.IOException;

/// The peer, or what it wrote into the shared memory, broke the rules of the ring. The connection
/// fails; nothing outside the ring was touched.
final class RingViolation extends IOException {
  private static final long serialVersionUID = 1L;

  RingViolation(String what) {
    super(what, null);
  }
}
