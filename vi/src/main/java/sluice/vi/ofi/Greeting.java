package sluice.vi.ofi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import sluice.sys.fabric.FabricEndpoint;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Fault;

/// The greeting that the two ends exchange before the first message. It consists of 96 bytes in the
/// native byte order. Immutable, since the array with its address is never modified.
///
/// ```
///  byte 0       4          8               12             16            24         32       96
///      +-------+----------+---------------+--------------+-------------+----------+--------+
///      | magic | verdict  | transferBytes | addressBytes | receiveTag  | unused   | address|
///      +-------+----------+---------------+--------------+-------------+----------+--------+
/// ```
///
/// @param verdict the verdict of the accepting side, or [#HELLO] if sent by the connecting side
/// @param transferBytes the maximum message length
/// @param receiveTag the tag of messages to this side, which is a random number so that an
///   unrelated process that reaches the endpoint cannot match a receive
/// @param address the address of the endpoint
@SuppressWarnings("ArrayRecordComponent") // made and read once, by one thread
record Greeting(int verdict, int transferBytes, long receiveTag, byte[] address) {
  static final int BYTES = 96;
  static final int HELLO = 0;
  static final int ACCEPTED = 1;
  static final int MAX_TRANSFER_BYTES = 64 << 20;

  private static final int MAGIC = 0x534c4f31; // "SLO1"
  private static final int ADDRESS_AT = 32;

  void write(MemorySegment packet) {
    packet.fill((byte) 0);
    packet.set(JAVA_INT, 0, MAGIC);
    packet.set(JAVA_INT, 4, verdict);
    packet.set(JAVA_INT, 8, transferBytes);
    packet.set(JAVA_INT, 12, address.length);
    packet.set(JAVA_LONG, 16, receiveTag);
    MemorySegment.copy(address, 0, packet, JAVA_BYTE, ADDRESS_AT, address.length);
  }

  /// @param expected the expected verdict
  /// @throws DeviceException if the packet is not a greeting with that verdict
  static Greeting read(MemorySegment packet, int expected) throws DeviceException {
    int verdict = packet.get(JAVA_INT, 4);
    int transfer = packet.get(JAVA_INT, 8);
    int length = packet.get(JAVA_INT, 12);
    boolean sound =
        packet.get(JAVA_INT, 0) == MAGIC
            && verdict == expected
            && transfer > 0
            && transfer <= MAX_TRANSFER_BYTES
            && length > 0
            && length <= FabricEndpoint.MAX_ADDRESS_BYTES;
    if (!sound) {
      throw new DeviceException(
          Fault.PEER_LOST,
          "the peer's greeting is no greeting of this version. Fix: the same version at both ends");
    }
    byte[] address = packet.asSlice(ADDRESS_AT, length).toArray(JAVA_BYTE);
    return new Greeting(verdict, transfer, packet.get(JAVA_LONG, 16), address);
  }
}
