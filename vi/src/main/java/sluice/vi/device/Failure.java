package sluice.vi.device;

/// The end of a connection, or of a descriptor: the side at fault, and the reason for messages.
/// Immutable.
public record Failure(Fault fault, String why) {
  /// Every device ends a port that this side closes with it.
  public static final Failure CLOSED = new Failure(Fault.CLOSED, "this side closed the connection");

  /// The same of the device.
  public static final Failure DEVICE_CLOSED = new Failure(Fault.CLOSED, "the device was closed");

  public static final Failure PEER_CLOSED =
      new Failure(Fault.PEER_CLOSED, "the peer closed the connection");

  public static final Failure PEER_FAILED = lost("the peer's end of the connection failed");

  public static final Failure PEER_ENDED =
      lost("the peer's process ended without closing the connection");

  /// The peer has gone, or broke the rules.
  public static Failure lost(String why) {
    return new Failure(Fault.PEER_LOST, why);
  }

  /// A message met a receive that is too short for it.
  ///
  /// @param messageBytes negative when the device does not say
  public static Failure tooLong(long messageBytes, long receiveBytes) {
    return new Failure(
        Fault.MISCONFIGURED,
        (messageBytes < 0 ? "a message" : "a message of " + messageBytes + " bytes")
            + " is longer than the receive it met, of "
            + receiveBytes
            + " bytes. Fix: post receives of the longest message");
  }

  /// What a device threw.
  public static Failure of(DeviceException thrown) {
    return new Failure(thrown.fault(), String.valueOf(thrown.getMessage()));
  }

  /// A call of this machine failed.
  public static Failure other(String why) {
    return new Failure(Fault.OTHER, why);
  }

  @Override
  public String toString() {
    return why;
  }
}
