package sluice.net.port;

import java.lang.foreign.MemorySegment;

/// Carries Ethernet frames: a device, or a simulated wire. Owned by one thread, which alone may
/// call.
///
/// Frames are parts of one memory; those for sending are of one size. A frame belongs to one of
/// three at each time:
///
/// ```
///            claim()                 send(), flush()
///   port ──────────────▶ caller ──────────────────────▶ device
///    ▲ ◀──────────────────  │  ◀────────────────────────  │
///    │      release()            receive()                │
///    └────────────────────── sent ◀───────────────────────┘
/// ```
public interface PacketPort extends AutoCloseable {
  /// Longest packet that a driver takes: the usual limit of Ethernet with long frames.
  int MOST_MTU = 9216;

  /// For messages, such as `tap:tap0`.
  String name();

  /// Holds all frames.
  MemorySegment memory();

  /// Room of each frame of [#claim].
  int frameBytes();

  /// The station's address: 48 bits; [#look] may change it.
  long macAddress();

  /// Longest packet that can be sent now, without the Ethernet header; [#look] may change it.
  int mtu();

  /// Whether a frame may come with the sum of the pseudo-header in place of the checksum of UDP: a
  /// kernel of the same machine leaves the rest to hardware that there is none of.
  default boolean partialChecksums() {
    return false;
  }

  /// What `poll(2)` finds readable when there is a frame; -1 when there is no descriptor.
  int descriptor();

  /// Takes in what has come, up to the room of the batch; its frames are the caller's.
  ///
  /// @return frames that were added
  int receive(FrameBatch into);

  /// A free frame for sending: the offset of its first byte; -1 when all are in use, which [#flush]
  /// may change.
  long claim();

  /// Gives a frame back.
  ///
  /// @param at any place inside of the frame
  void release(long at);

  /// Stages a frame, which is the port's from now on.
  ///
  /// @param at where its first byte is, anywhere in a frame that the caller has
  void send(long at, int bytes);

  /// Gives the device what is staged.
  void flush();

  /// Frames that the device had no room for, or of which it said what cannot be.
  long lost();

  /// Looks at what has become of the link since the last time. Called a few times each second.
  default void look(LinkListener to) {}

  /// Whether the device has gone for ever: its descriptor is readable from then on, and says
  /// nothing.
  default boolean isGone() {
    return false;
  }

  /// Idempotent.
  @Override
  void close();
}
