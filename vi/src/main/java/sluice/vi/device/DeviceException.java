package sluice.vi.device;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Thrown if a device could not create, accept or find a connection. [#fault] returns the side at
/// fault. Immutable.
public class DeviceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Fault fault;

  public DeviceException(Fault fault, String message) {
    this(fault, message, null);
  }

  public DeviceException(Fault fault, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.fault = fault;
  }

  /// Returns the exception for a closed device. The factory methods of this class ensure that a
  /// condition has the same message on every device.
  public static DeviceException deviceClosed() {
    return new DeviceException(Fault.CLOSED, "the device is closed");
  }

  public static DeviceException listenerClosed() {
    return new DeviceException(Fault.CLOSED, "the listener is closed");
  }

  public static DeviceException noListener(String detail) {
    return new DeviceException(Fault.REFUSED, "no accept matches: nothing listens " + detail);
  }

  public static DeviceException peerListenerClosed() {
    return new DeviceException(
        Fault.REFUSED, "the listener was closed, or refuses, before it accepted");
  }

  public static DeviceException tagTaken(int tag, String place, @Nullable Throwable cause) {
    return new DeviceException(
        Fault.MISCONFIGURED,
        "a listener for tag " + tag + " is at " + place + " already. Fix: another tag",
        cause);
  }

  public static DeviceException notAccepted(@Nullable Throwable cause) {
    return new DeviceException(
        Fault.TIMED_OUT, "no accept came in time: a listener is there but does not accept", cause);
  }

  /// Returns the exception for a mismatch of reliabilities.
  ///
  /// @param byPeer true if the accepting side requires a different reliability than this side
  public static DeviceException otherReliability(boolean byPeer) {
    return new DeviceException(
        Fault.REFUSED,
        (byPeer
                ? "the accepting side wants another reliability"
                : "the peer wants another reliability than this accept")
            + ". Fix: the same on both sides");
  }

  /// Converts an exception of another thread into one for the waiting thread, with the same fault
  /// and message.
  public static DeviceException rethrown(Throwable thrown) {
    Throwable why = thrown.getCause() == null ? thrown : thrown.getCause();
    return new DeviceException(of(why), String.valueOf(why.getMessage()), why);
  }

  /// Returns the side at fault for any exception.
  public static Fault of(Throwable thrown) {
    return thrown instanceof DeviceException known ? known.fault() : Fault.OTHER;
  }

  /// Returns the exception for an interrupt, and restores the thread's interrupt status.
  public static DeviceException interrupted(String what, @Nullable Throwable cause) {
    Thread.currentThread().interrupt();
    return new DeviceException(Fault.OTHER, "interrupted while " + what, cause);
  }

  public Fault fault() {
    return fault;
  }
}
