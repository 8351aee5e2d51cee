package sluice.vi.device;

/// The end of a connection, or of a descriptor: the side at fault, and the reason for messages.
/// Immutable.
public record Failure(Fault fault, String why) {
  /// The failure with which every device ends a port that this side closes.
  public static final Failure CLOSED = new Failure(Fault.CLOSED, "this side closed the connection");

  /// The failure with which every device ends its ports when it is closed.
  public static final Failure DEVICE_CLOSED = new Failure(Fault.CLOSED, "the device was closed");

  public static final Failure PEER_CLOSED =
      new Failure(Fault.PEER_CLOSED, "the peer closed the connection");

  public static final Failure PEER_FAILED = lost("the peer's end of the connection failed");

  public static final Failure PEER_ENDED =
      lost("the peer's process ended without closing the connection");

  /// Returns the failure of a peer that has gone or has violated the protocol.
  public static Failure lost(String why) {
    return new Failure(Fault.PEER_LOST, why);
  }

  /// Returns the failure of a message that met a receive that is too short.
  ///
  /// @param messageBytes the length of the message; negative if the device does not report it
  public static Failure tooLong(long messageBytes, long receiveBytes) {
    return new Failure(
        Fault.MISCONFIGURED,
        (messageBytes < 0 ? "a message" : "a message of " + messageBytes + " bytes")
            + " is longer than the receive it met, of "
            + receiveBytes
            + " bytes. Fix: post receives of the longest message");
  }

  /// Returns the failure for an exception thrown by a device.
  public static Failure of(DeviceException thrown) {
    return new Failure(thrown.fault(), String.valueOf(thrown.getMessage()));
  }

  /// Returns the failure of a call on this machine.
  public static Failure other(String why) {
    return new Failure(Fault.OTHER, why);
  }

  @Override
  public String toString() {
    return why;
  }
}
