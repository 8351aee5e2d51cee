package sluice.vi;

import sluice.vi.device.PortSpec;

/// The attributes of a VI. Immutable; start from [#DEFAULT] and use the `with` methods.
///
/// @param reliability the reliability, which must be the same at both ends
/// @param waiting the way in which threads wait
/// @param spinMicros the time for which [WaitMode#HYBRID] spins, 1 to 10 000
/// @param sendDepth the most sends posted at one time, 1 to 1024
/// @param receiveDepth the most receives posted at one time, 1 to 1024
/// @param transferBytes the longest message, 1 byte to 64 MiB; the smaller one of both ends applies
/// @param ringBytes the memory for messages in transit in one direction, a power of two from 16 KiB
///   to 64 MiB; used by `local`, where the connecting side's value applies, and by `xdp`, for what
///   a side receives
/// @param connectMicros the time the accepting side may take, [Vi#INFINITE] for no limit
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

  /// The default: reliable delivery, hybrid waiting, 64 descriptors each way, messages of up to 64
  /// KiB, 10 s to connect.
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

  /// Checks the ranges.
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
