package sluice.net.stack;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import sluice.net.wire.Checksum;

/// Builds frames from 10.0.0.1 to 10.0.0.2, byte by byte. Stateless.
final class Frames {
  private static final int IP = 14;

  private Frames() {}

  /// Returns a frame with a fragment, or a whole packet, with a valid header.
  static byte[] fragment(int protocol, int id, int offset, boolean more, byte[] payload) {
    return packet(protocol, id, (offset / 8 & 0x1fff) | (more ? 0x2000 : 0), new byte[0], payload);
  }

  /// Returns a frame with an IPv4 packet with a valid header checksum.
  ///
  /// @param options the IPv4 options, a multiple of four bytes
  static byte[] packet(int protocol, int id, int flags, byte[] options, byte[] payload) {
    int header = 20 + options.length;
    ByteBuffer frame = ByteBuffer.allocate(IP + header + payload.length);
    frame.put(new byte[] {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0});
    frame.put((byte) (0x40 | header / 4)).put((byte) 0);
    frame.putShort((short) (header + payload.length)).putShort((short) id);
    frame.putShort((short) flags).put((byte) 64).put((byte) protocol).putShort((short) 0);
    frame.putInt(StackRig.address("10.0.0.1")).putInt(StackRig.address("10.0.0.2"));
    frame.put(options).put(payload);
    return sealed(frame.array(), header);
  }

  /// Sets the correct checksum of the IPv4 header and returns the frame.
  static byte[] sealed(byte[] frame, int headerBytes) {
    frame[IP + 10] = 0;
    frame[IP + 11] = 0;
    int sum = Checksum.finish(Checksum.sum(MemorySegment.ofArray(frame), IP, headerBytes));
    frame[IP + 10] = (byte) (sum >> 8);
    frame[IP + 11] = (byte) sum;
    return frame;
  }

  /// Returns a UDP datagram without a checksum, from port 1000 to port 7.
  static byte[] datagram(byte[] data) {
    ByteBuffer bytes = ByteBuffer.allocate(8 + data.length);
    bytes.putShort((short) 1000).putShort((short) 7).putShort((short) (8 + data.length));
    return bytes.putShort((short) 0).put(data).array();
  }
}
