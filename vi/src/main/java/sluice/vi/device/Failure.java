package sluice.vi.device;

/// The reason why a connection or a descriptor has ended, which consists of the side at fault and a
/// message. Immutable.
public record Failure(Fault fault, String why) {
  /// The failure of a port that is closed by this side, which is the same on every device.
  public static final Failure CLOSED = new Failure(Fault.CLOSED, "this side closed the connection");

  /// The failure of the ports of a device that is closed, which is the same on every device.
  public static final Failure DEVICE_CLOSED = new Failure(Fault.CLOSED, "the device was closed");

  public static final Failure PEER_CLOSED =
      new Failure(Fault.PEER_CLOSED, "the peer closed the connection");

  public static final Failure PEER_FAILED = lost("the peer's end of the connection failed");

  public static final Failure PEER_ENDED =
      lost("the peer's process ended without closing the connection");

  /// Returns the failure for a peer that has disappeared or has violated the protocol.
  public static Failure lost(String why) {
    return new Failure(Fault.PEER_LOST, why);
  }

  /// Returns the failure for a message that is longer than the receive it was matched with.
  ///
  /// @param messageBytes the length of the message, or a negative number if the device does not
  ///   report it
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

  /// Returns the failure for a call that failed on this machine.
  public static Failure other(String why) {
    return new Failure(Fault.OTHER, why);
  }

  @Override
  public String toString() {
    return why;
  }
}
