package sluice.vi;

import sluice.vi.device.PortSpec;

/// The attributes of a VI. Immutable. Instances are derived from [#DEFAULT] by the `with` methods.
///
/// @param reliability the reliability, which must be the same at both ends
/// @param waiting the mode in which threads wait
/// @param spinMicros the time in microseconds for which [WaitMode#HYBRID] spins, from 1 to 10 000
/// @param sendDepth the maximum number of posted sends, from 1 to 1024
/// @param receiveDepth the maximum number of posted receives, from 1 to 1024
/// @param transferBytes the maximum message length, from 1 byte to 64 MiB; the smaller value of
///   both ends applies
/// @param ringBytes the memory for messages in transit in one direction, a power of two from 16 KiB
///   to 64 MiB; used by `local`, where the value of the connecting side applies, and by `xdp` for
///   the messages that a side receives
/// @param connectMicros the time within which the accepting side must accept the connection, or
///   [Vi#INFINITE] if unlimited
public record ViAttributes(
    Reliability reliability,
    WaitMode waiting,
    int spinMicros,
    int sendDepth,
    int receiveDepth,
    int transferBytes,
    int ringBytes,
    int connectMicros) {
  private static final int MAX_DEPTH = 1024;
  private static final int MAX_TRANSFER_BYTES = 64 << 20;

  /// The default attributes: reliable delivery, hybrid waiting, 64 descriptors in each direction,
  /// messages of up to 64 KiB, and 10 seconds to connect.
  public static final ViAttributes DEFAULT =
      new ViAttributes(
          Reliability.RELIABLE_DELIVERY,
          WaitMode.HYBRID,
          50,
          64,
          64,
          64 << 10,
          256 << 10,
          10_000_000);

  /// Validates the ranges of the attributes.
  public ViAttributes {
    check("spinMicros", spinMicros, 1, 10_000);
    check("sendDepth", sendDepth, 1, MAX_DEPTH);
    check("receiveDepth", receiveDepth, 1, MAX_DEPTH);
    check("transferBytes", transferBytes, 1, MAX_TRANSFER_BYTES);
    check("ringBytes", ringBytes, 1 << 14, 1 << 26);
    if (Integer.bitCount(ringBytes) != 1) {
      throw new IllegalArgumentException("ringBytes must be a power of two: " + ringBytes);
    }
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " must be " + least + " to " + most + ": " + value);
    }
  }

  public ViAttributes withReliability(Reliability level) {
    return new ViAttributes(
        level,
        waiting,
        spinMicros,
        sendDepth,
        receiveDepth,
        transferBytes,
        ringBytes,
        connectMicros);
  }

  public ViAttributes withWaiting(WaitMode mode) {
    return new ViAttributes(
        reliability,
        mode,
        spinMicros,
        sendDepth,
        receiveDepth,
        transferBytes,
        ringBytes,
        connectMicros);
  }

  public ViAttributes withDepths(int sends, int receives) {
    return new ViAttributes(
        reliability, waiting, spinMicros, sends, receives, transferBytes, ringBytes, connectMicros);
  }

  public ViAttributes withTransferBytes(int bytes) {
    return new ViAttributes(
        reliability, waiting, spinMicros, sendDepth, receiveDepth, bytes, ringBytes, connectMicros);
  }

  public ViAttributes withRingBytes(int bytes) {
    return new ViAttributes(
        reliability,
        waiting,
        spinMicros,
        sendDepth,
        receiveDepth,
        transferBytes,
        bytes,
        connectMicros);
  }

  public ViAttributes withConnectMicros(int micros) {
    return new ViAttributes(
        reliability,
        waiting,
        spinMicros,
        sendDepth,
        receiveDepth,
        transferBytes,
        ringBytes,
        micros);
  }

  PortSpec spec(int tag) {
    return new PortSpec(
        tag,
        reliability == Reliability.UNRELIABLE,
        reliability == Reliability.RELIABLE_RECEPTION,
        sendDepth,
        receiveDepth,
        transferBytes,
        ringBytes);
  }
}
