package sluice.net.port;

import java.lang.foreign.MemorySegment;

/// A port that sends and receives Ethernet frames, such as a device or a simulated wire. It is
/// owned by one thread, which must make all calls.
///
/// All frames are located in the same memory, and all frames for sending have the same size. At any
/// time, a frame is owned by either the port, the caller or the device:
///
/// ```
///            claim()                 send(), flush()
///   port ──────────────▶ caller ──────────────────────▶ device
///    ▲ ◀──────────────────  │  ◀────────────────────────  │
///    │      release()            receive()                │
///    └────────────────────── sent ◀───────────────────────┘
/// ```
public interface PacketPort extends AutoCloseable {
  /// The maximum MTU that is supported by a driver, which is the usual limit of jumbo frames.
  int MOST_MTU = 9216;

  /// Returns the name of this port for messages, such as `tap:tap0`.
  String name();

  /// Returns the memory that contains all frames.
  MemorySegment memory();

  /// Returns the size of a frame returned by [#claim].
  int frameBytes();

  /// Returns the 48-bit hardware address of the station. The address may be changed by [#look].
  long macAddress();

  /// Returns the maximum length of a packet to send, not including the Ethernet header. The length
  /// may be changed by [#look].
  int mtu();

  /// Returns true if the UDP checksum of a received packet may include only the pseudo-header. A
  /// kernel on the same machine leaves the remaining computation to hardware, which does not exist
  /// for this port.
  default boolean partialChecksums() {
    return false;
  }

  /// Returns the descriptor that becomes readable when frames have arrived, or -1 if there is none.
  int descriptor();

  /// Receives frames until there are no more frames or the batch is full. The ownership of the
  /// frames is transferred to the caller.
  ///
  /// @return the number of frames that were added
  int receive(FrameBatch into);

  /// Returns the position of a free frame for sending, or -1 if all frames are in use. Calling
  /// [#flush] may release some frames.
  long claim();

  /// Returns a frame to the port.
  ///
  /// @param at any position within the frame
  void release(long at);

  /// Stages a frame for sending. The ownership of the frame is transferred to the port.
  ///
  /// @param at the position of the first byte, which may be anywhere within a frame of the caller
  /// @param bytes the length of the frame in bytes
  void send(long at, int bytes);

  /// Submits the staged frames to the device.
  void flush();

  /// Returns the number of frames that were dropped because there was no free frame or because
  /// their descriptor was invalid.
  long lost();

  /// Reports all changes of the link since the last call. This method is called a few times per
  /// second.
  default void look(LinkListener to) {}

  /// Returns true if the device no longer exists. Its descriptor is readable in this case, although
  /// there are no frames.
  default boolean isGone() {
    return false;
  }

  /// Closes this port. This method is idempotent.
  @Override
  void close();
}
