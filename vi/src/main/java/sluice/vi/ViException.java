package sluice.vi;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Thrown if a connection could not be established or has failed. The message describes the
/// problem, its location and a fix. A given condition is reported by the same class on every
/// device:
///
/// | class | condition |
/// |---|---|
/// | `ViTimeout` | the time was over: nothing completed, came, or was accepted |
/// | `ViRefused` | nothing listens there, or the two sides want different things |
/// | `ViClosed` | this side closed the VI, the server or the device |
/// | `ViPeerClosed` | the peer closed its end |
/// | `ViPeerLost` | the peer's process, host or network has gone, or it broke the protocol |
/// | `ViMisconfigured` | this program asked for what cannot be had |
/// | `ViException` itself | a system call failed here, memory is short, or an interrupt |
public class ViException extends IOException {
  private static final long serialVersionUID = 1L;

  ViException(String message) {
    this(message, null);
  }

  ViException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
