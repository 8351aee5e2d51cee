package sluice.vi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Failure;
import sluice.vi.device.Fault;

/// A connection could not be made, or has failed; the message says what, where and the fix. The
/// same condition has the same class on every device:
///
/// | class | condition |
/// |---|---|
/// | [ViTimeout] | the time was over: nothing completed, came, or was accepted |
/// | [ViRefused] | nothing listens there, or the two sides want different things |
/// | [ViClosed] | this side closed the VI, the server or the device |
/// | [ViPeerClosed] | the peer closed its end |
/// | [ViPeerLost] | the peer's process, host or network has gone, or it broke the protocol |
/// | [ViMisconfigured] | this program asked for what cannot be had |
/// | `ViException` itself | a system call failed here, memory is short, or an interrupt |
public sealed class ViException extends IOException
    permits ViClosed, ViMisconfigured, ViPeerClosed, ViPeerLost, ViRefused, ViTimeout {
  private static final long serialVersionUID = 1L;

  ViException(String message) {
    this(message, null);
  }

  ViException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /// What a device threw, with the class of its fault.
  ///
  /// @param doing what the message begins with
  static ViException of(String doing, IOException thrown) {
    return of(fault(thrown), doing + ": " + thrown.getMessage(), thrown);
  }

  /// What ended a VI or failed a descriptor.
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

  /// An address that another program has, or that this machine has not, is this program's fault.
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
