package sluice.loop.datagrams;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.memory.block.Block;
import sluice.sys.IoVec;
import sluice.sys.MsgHeader;
import sluice.sys.MultiMsgHeader;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

/// The buffers for the datagrams of one `recvmmsg(2)` or `sendmmsg(2)` call and their addresses.
/// Owned by the loop's thread.
///
/// ```
///  headers | vectors | names | controls | datagrams
///  SLOTS of each, in one block
/// ```
///
/// The control messages of a received datagram contain the local address to which it was sent. If
/// they are passed with the reply, they set the reply's source address.
final class DatagramBatch {
  /// The maximum number of datagrams of one system call.
  static final int SLOTS = 16;

  /// The space for the longest datagram, in bytes.
  static final int DATAGRAM_BYTES = 64 << 10;

  private static final int NAME_BYTES = SocketAddresses.STORAGE_BYTES;
  private static final int CONTROL_BYTES = 64;
  private static final long VECTORS = (long) SLOTS * MultiMsgHeader.SIZE;
  private static final long NAMES = VECTORS + (long) SLOTS * IoVec.SIZE;
  private static final long CONTROLS = NAMES + (long) SLOTS * NAME_BYTES;
  private static final long DATAGRAMS = CONTROLS + (long) SLOTS * CONTROL_BYTES;

  /// The offsets of `cmsg_level` and of the interface index of an `IP_PKTINFO`.
  private static final int CMSG_LEVEL_AT = 8;

  private static final int IPI_IFINDEX_AT = 16;

  private final Block block;
  private int filled;

  private DatagramBatch(Block block) {
    this.block = block;
  }

  static DatagramBatch allocate(Account account) {
    Block block = Block.allocate(account, DATAGRAMS + (long) SLOTS * DATAGRAM_BYTES);
    if (block == null) {
      throw new IllegalStateException("no room for datagrams: " + account);
    }
    return new DatagramBatch(block);
  }

  private static long header(int slot) {
    return (long) slot * MultiMsgHeader.SIZE;
  }

  private static long name(int slot) {
    return NAMES + (long) slot * NAME_BYTES;
  }

  private static long control(int slot) {
    return CONTROLS + (long) slot * CONTROL_BYTES;
  }

  private static long datagram(int slot) {
    return DATAGRAMS + (long) slot * DATAGRAM_BYTES;
  }

  // ---- receiving -------------------------------------------------------------------------------

  /// Receives the available datagrams, up to the number of slots.
  ///
  /// @return the number of datagrams, or a negative errno
  int receive(int fd) {
    for (int slot = 0; slot < SLOTS; slot++) {
      prepare(slot, DATAGRAM_BYTES, NAME_BYTES, CONTROL_BYTES);
    }
    return Sockets.recvmmsg(fd, block.segment(), 0, SLOTS, Sockets.MSG_DONTWAIT);
  }

  private void prepare(int slot, int bytes, int nameBytes, int controlBytes) {
    MemorySegment all = block.segment();
    long header = header(slot);
    IoVec.set(all, VECTORS, slot, all, datagram(slot), bytes);
    MsgHeader.set(all, header, all, VECTORS + (long) slot * IoVec.SIZE, 1);
    MsgHeader.name(all, header, all, name(slot), nameBytes);
    if (controlBytes > 0) {
      MsgHeader.control(all, header, all, control(slot), controlBytes);
    }
  }

  /// Returns the length of a received datagram, or -1 if it was longer than its slot.
  int length(int slot) {
    if ((MsgHeader.flags(block.segment(), header(slot)) & Sockets.MSG_TRUNC) != 0) {
      return -1;
    }
    return MultiMsgHeader.length(block.segment(), header(slot));
  }

  View show(int slot, int bytes, ViewBinder binder) {
    return binder.bind(block.segment(), datagram(slot), bytes);
  }

  /// Reads the sender and the destination of a received datagram.
  void peer(int slot, DatagramPeer into) {
    MemorySegment all = block.segment();
    int nameBytes = Math.min(NAME_BYTES, MsgHeader.nameLength(all, header(slot)));
    int controlBytes = Math.min(CONTROL_BYTES, MsgHeader.controlLength(all, header(slot)));
    into.set(all, name(slot), nameBytes, control(slot), controlBytes);
  }

  // ---- sending ---------------------------------------------------------------------------------

  boolean full() {
    return filled == SLOTS;
  }

  int staged() {
    return filled;
  }

  Block block() {
    return block;
  }

  /// Returns the offset in the block at which the next datagram is built. Must only be called if
  /// the batch is not [#full].
  long place() {
    return datagram(filled);
  }

  /// Adds the datagram that has been built at [#place].
  void add(int bytes, DatagramPeer to) {
    MemorySegment all = block.segment();
    int slot = filled++;
    to.copyName(all, name(slot));
    to.copyControl(all, control(slot));
    if (to.controlBytes() > IPI_IFINDEX_AT
        && all.get(ValueLayout.JAVA_INT, control(slot) + CMSG_LEVEL_AT) == Sockets.IPPROTO_IP) {
      // The outgoing interface is selected by the routing table.
      all.set(ValueLayout.JAVA_INT, control(slot) + IPI_IFINDEX_AT, 0);
    }
    prepare(slot, bytes, to.nameBytes(), to.controlBytes());
  }

  /// Sends the added datagrams. A datagram that the kernel does not accept is lost, which datagrams
  /// permit.
  ///
  /// @return the number of lost datagrams
  int send(int fd) {
    int sent = 0;
    int lost = 0;
    while (sent + lost < filled) {
      int from = sent + lost;
      int taken =
          Sockets.sendmmsg(fd, block.segment(), header(from), filled - from, Sockets.MSG_DONTWAIT);
      if (taken > 0) {
        sent += taken;
      } else {
        lost++; // this one cannot be sent: the others may be
      }
    }
    filled = 0;
    return lost;
  }

  void close() {
    block.release();
  }
}
