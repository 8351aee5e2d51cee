package sluice.vi.ofi;

import sluice.vi.device.DeviceException;
import sluice.vi.device.Fault;

/// Thrown if the peer ended while a connection was being established. Immutable.
final class PeerGoneException extends DeviceException {
  private static final long serialVersionUID = 1L;

  PeerGoneException(Fault fault, String message) {
    super(fault, message);
  }
}
