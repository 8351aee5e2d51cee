package sluice.vi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;

/// Translates faults to the subclasses of [ViException]. Stateless.
final class ViFaults {
  private ViFaults() {}

  /// Returns the exception for an exception that was thrown by a device. Its class corresponds to
  /// the fault.
  ///
  /// @param doing the beginning of the message
  static ViException of(String doing, IOException thrown) {
    return of(fault(thrown), doing + ": " + thrown.getMessage(), thrown);
  }

  /// Returns the exception for the failure of a VI or a descriptor.
  static ViException of(Failure failure) {
    return of(failure.fault(), "the VI has failed: " + failure.why(), null);
  }

  private static ViException of(Fault fault, String message, @Nullable Throwable cause) {
    return switch (fault) {
      case CLOSED -> new ViClosed(message, cause);
      case PEER_CLOSED -> new ViPeerClosed(message, cause);
      case PEER_LOST -> new ViPeerLost(message, cause);
      case REFUSED -> new ViRefused(message, cause);
      case TIMED_OUT -> new ViTimeout(message, cause);
      case MISCONFIGURED -> new ViMisconfigured(message, cause);
      case OTHER -> new ViException(message, cause);
    };
  }

  /// Returns the fault of an exception. If the address is used by another program or does not exist
  /// on this machine, the fault is attributed to this program.
  private static Fault fault(IOException thrown) {
    if (thrown instanceof SysException call) {
      return switch (call.errno()) {
        case Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.EACCES -> Fault.MISCONFIGURED;
        default -> Fault.OTHER;
      };
    }
    return DeviceException.of(thrown);
  }
}
