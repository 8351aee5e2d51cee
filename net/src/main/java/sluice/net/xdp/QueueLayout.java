package sluice.net.xdp;

import java.io.IOException;
import sluice.net.port.FramePool;
import sluice.net.port.LinkWatch;
import sluice.net.port.PacketPort;

/// The memory layout of one queue. Instances are immutable and thread-safe.
///
/// ```
///  MTU up to 1774:  | 4096 chunks of 2048: for receiving and sending                         |
///  MTU up to 9216:  | 2048 chunks of 4096: receiving | 512 frames of 16 KB: sending          |
/// ```
///
/// A packet that is longer than a chunk is received in several chunks and is assembled in a frame
/// for sending. A long packet is sent from such a frame with several descriptors, each of which
/// refers to a range within one chunk.
///
/// @param chunkBytes the chunk size that is used by the kernel, which is 2048 or 4096
/// @param chunks the number of chunks for receiving
/// @param sendBytes the size of a frame for sending, which is equal to `chunkBytes` if the chunks
///   serve both purposes
/// @param sends the number of frames for sending, or 0 if the chunks serve both purposes
record QueueLayout(int chunkBytes, int chunks, int sendBytes, int sends) {
  /// The space before each frame that is overwritten by the kernel (`XDP_PACKET_HEADROOM`).
  static final int HEADROOM_BYTES = 256;

  /// The length of an Ethernet header with a tag.
  private static final int ETHERNET_BYTES = 18;

  private static final QueueLayout SHORT = new QueueLayout(2048, 4096, 2048, 0);
  private static final QueueLayout LONG = new QueueLayout(4096, 2048, 16 << 10, 512);

  /// Returns the layout for a link with the given MTU.
  ///
  /// @throws IOException if the MTU is too large for all layouts
  static QueueLayout of(String device, int mtu) throws IOException {
    if (mtu <= SHORT.mostWhole()) {
      return SHORT;
    }
    if (mtu <= PacketPort.MOST_MTU) {
      return LONG;
    }
    throw LinkWatch.tooLong(
        device, mtu, PacketPort.MOST_MTU, "frames are put together up to that length");
  }

  /// Returns the maximum length of a packet that fits into one chunk.
  int mostWhole() {
    return chunkBytes - HEADROOM_BYTES - ETHERNET_BYTES;
  }

  /// Returns the maximum length of a packet.
  ///
  /// @param several true if the kernel can store a packet in several chunks
  int most(boolean several) {
    return several && sends > 0 ? PacketPort.MOST_MTU : mostWhole();
  }

  long chunkArea() {
    return (long) chunks * chunkBytes;
  }

  /// Returns the size of all chunks and frames.
  long bytes() {
    return chunkArea() + (long) sends * sendBytes;
  }

  FramePool chunkPool(long base) {
    return new FramePool(base, chunks, chunkBytes);
  }

  FramePool sendPool(long base) {
    return new FramePool(base + chunkArea(), sends, sendBytes);
  }

  /// Returns true if a range that was specified by the kernel is within one chunk for receiving.
  boolean isInChunk(long at, int bytes) {
    return at >= 0
        && at < chunkArea()
        && bytes >= 0
        && bytes <= chunkBytes - (at & (chunkBytes - 1));
  }
}
