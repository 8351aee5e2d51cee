package sluice.net.port;

import java.lang.foreign.MemorySegment;

/// Sends and receives Ethernet frames: a device or a simulated wire. Owned by one thread, which
/// makes all calls.
///
/// All frames are parts of one memory. Frames for sending have one size. At each time a frame
/// belongs to the port, the caller or the device:
///
/// ```
///            claim()                 send(), flush()
///   port ──────────────▶ caller ──────────────────────▶ device
///    ▲ ◀──────────────────  │  ◀────────────────────────  │
///    │      release()            receive()                │
///    └────────────────────── sent ◀───────────────────────┘
/// ```
public interface PacketPort extends AutoCloseable {
  /// The maximum MTU that a driver supports: the usual limit of jumbo frames.
  int MOST_MTU = 9216;

  /// Returns the name for messages, such as `tap:tap0`.
  String name();

  /// Returns the memory that contains all frames.
  MemorySegment memory();

  /// Returns the size of a frame returned by [#claim].
  int frameBytes();

  /// Returns the 48-bit hardware address of the station. [#look] may change it.
  long macAddress();

  /// Returns the maximum length of a packet to send, without the Ethernet header. [#look] may
  /// change it.
  int mtu();

  /// Returns true if a received UDP checksum may cover only the pseudo-header: a kernel on the same
  /// machine leaves the rest to hardware that does not exist.
  default boolean partialChecksums() {
    return false;
  }

  /// Returns the descriptor that is readable when frames have arrived; -1 if there is none.
  int descriptor();

  /// Receives frames until the batch is full. The frames belong to the caller.
  ///
  /// @return the number of added frames
  int receive(FrameBatch into);

  /// Returns the position of a free frame for sending; -1 if all are in use. [#flush] may free
  /// some.
  long claim();

  /// Returns a frame to the port.
  ///
  /// @param at any position in the frame
  void release(long at);

  /// Stages a frame for sending. It belongs to the port from now on.
  ///
  /// @param at the position of the first byte, anywhere in a frame of the caller
  /// @param bytes the length
  void send(long at, int bytes);

  /// Passes the staged frames to the device.
  void flush();

  /// Returns the number of frames that were dropped for lack of room or had an invalid descriptor.
  long lost();

  /// Reports the changes of the link since the last call. Called a few times per second.
  default void look(LinkListener to) {}

  /// Returns true if the device is gone for good. Its descriptor is readable then, without any
  /// frames.
  default boolean isGone() {
    return false;
  }

  /// Closes the port. Idempotent.
  @Override
  void close();
}
