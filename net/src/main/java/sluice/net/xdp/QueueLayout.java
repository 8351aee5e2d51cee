package sluice.net.xdp;

import java.io.IOException;
import sluice.net.port.FramePool;
import sluice.net.port.LinkWatch;
import sluice.net.port.PacketPort;

/// How the memory of one queue is divided. Immutable: any thread may use it.
///
/// ```
///  a link of up to 1774 bytes:   | 4096 chunks of 2048: for receiving and sending               |
///  a longer one, to 9216:        | 2048 chunks of 4096: receiving | 512 frames of 16 KB: sending |
/// ```
///
/// A packet longer than a chunk comes in several, and is put together in a frame of the second
/// kind; it is sent from such a frame by several descriptors, each within a chunk.
///
/// @param chunkBytes what the kernel divides the memory into: 2048 or 4096
/// @param chunks that packets are received into
/// @param sendBytes of a frame for sending; `chunkBytes` when the chunks are for both
/// @param sends frames for sending; 0 when the chunks are for both
record QueueLayout(int chunkBytes, int chunks, int sendBytes, int sends) {
  /// In front of each frame that the kernel writes (`XDP_PACKET_HEADROOM`).
  static final int HEADROOM_BYTES = 256;

  /// Headers of Ethernet, with a tag.
  private static final int ETHERNET_BYTES = 18;

  private static final QueueLayout SHORT = new QueueLayout(2048, 4096, 2048, 0);
  private static final QueueLayout LONG = new QueueLayout(4096, 2048, 16 << 10, 512);

  /// The layout for a link.
  ///
  /// @throws IOException when its packets are longer than any layout has room for
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

  /// Longest packet that one chunk holds.
  int mostWhole() {
    return chunkBytes - HEADROOM_BYTES - ETHERNET_BYTES;
  }

  /// Longest packet.
  ///
  /// @param several whether the kernel puts a packet into several chunks
  int most(boolean several) {
    return several && sends > 0 ? PacketPort.MOST_MTU : mostWhole();
  }

  long chunkArea() {
    return (long) chunks * chunkBytes;
  }

  /// Of chunks and frames.
  long bytes() {
    return chunkArea() + (long) sends * sendBytes;
  }

  FramePool chunkPool(long base) {
    return new FramePool(base, chunks, chunkBytes);
  }

  FramePool sendPool(long base) {
    return new FramePool(base + chunkArea(), sends, sendBytes);
  }

  /// Whether bytes that the kernel names lie in one chunk for receiving.
  boolean isInChunk(long at, int bytes) {
    return at >= 0
        && at < chunkArea()
        && bytes >= 0
        && bytes <= chunkBytes - (at & (chunkBytes - 1));
  }
}
