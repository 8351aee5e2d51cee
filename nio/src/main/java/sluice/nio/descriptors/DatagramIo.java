package sluice.nio.descriptors;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ScratchBuffers.Scratch;
import sluice.sys.Errno;
import sluice.sys.IoVec;
import sluice.sys.MsgHeader;
import sluice.sys.SocketAddresses;
import sluice.sys.Sockets;

/// The transfer of datagrams between buffers and one socket. The fields for receiving are owned by
/// the holder of the channel's read lock, and those for sending by the holder of the write lock.
///
/// Datagrams are copied through native memory. They are small, and the copy ensures that the kernel
/// never accesses memory that another thread may unmap.
public final class DatagramIo {
  private static final int FLAGS = Sockets.MSG_DONTWAIT | Sockets.MSG_NOSIGNAL;

  private final int fd;
  private final MemorySegment incoming = message();
  private final MemorySegment outgoing = message();

  /// The address of the last sender as written by the kernel, which is cached along with its
  /// decoded form.
  private final MemorySegment known = Arena.ofAuto().allocate(SocketAddresses.STORAGE_BYTES);

  private @Nullable SocketAddress knownSender;
  private int knownLength;

  public DatagramIo(int fd) {
    this.fd = fd;
  }

  /// Allocates a message header with a single buffer and space for an address.
  private static MemorySegment message() {
    return Arena.ofAuto()
        .allocate(MsgHeader.SIZE + IoVec.SIZE + SocketAddresses.STORAGE_BYTES, Long.BYTES);
  }

  private static final int VECTOR = MsgHeader.SIZE;
  private static final int NAME = MsgHeader.SIZE + IoVec.SIZE;

  /// Receives one datagram and truncates it to the remaining capacity of the buffer.
  ///
  /// @return the number of bytes stored, or a negative errno
  public int receive(ByteBuffer buffer) {
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int room = Math.min(buffer.remaining(), ScratchBuffers.BYTES);
      int n = receive(scratch.segment, room);
      if (n > 0) {
        BufferIo.get(scratch.segment, 0, buffer, n);
      }
      return n;
    }
  }

  private int receive(MemorySegment into, int room) {
    IoVec.set(incoming, VECTOR, 0, into, 0, room);
    MsgHeader.set(incoming, 0, incoming, VECTOR, 1);
    MsgHeader.name(incoming, 0, incoming, NAME, SocketAddresses.STORAGE_BYTES);
    return Sockets.recvmsg(fd, incoming, 0, Sockets.MSG_DONTWAIT);
  }

  /// Receives one datagram as [#receive(ByteBuffer)] does, into several buffers in order.
  public int scatter(ByteBuffer[] buffers, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (buffers[i].isReadOnly()) {
        throw new IllegalArgumentException("Read-only buffer");
      }
    }
    long room = BufferIo.remaining(buffers, offset, length);
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int n = receive(scratch.segment, (int) Math.min(room, ScratchBuffers.BYTES));
      int done = 0;
      for (int i = offset; i < offset + length && done < n; i++) {
        int part = Math.min(n - done, buffers[i].remaining());
        BufferIo.get(scratch.segment, done, buffers[i], part);
        done += part;
      }
      return n;
    }
  }

  /// Returns the sender of the datagram that was received last.
  public SocketAddress sender() {
    int length = MsgHeader.nameLength(incoming, 0);
    MemorySegment name = incoming.asSlice(NAME, SocketAddresses.STORAGE_BYTES);
    SocketAddress sender = knownSender;
    if (sender == null
        || length != knownLength
        || MemorySegment.mismatch(name, 0, length, known, 0, length) >= 0) {
      sender = Objects.requireNonNull(SocketAddresses.decode(name, length));
      MemorySegment.copy(name, 0, known, 0, length);
      knownLength = length;
      knownSender = sender;
    }
    return sender;
  }

  /// Discards all datagrams in the receive queue.
  public void discardAll() {
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int n;
      do {
        n = Sockets.recv(fd, scratch.segment, 0, 1, Sockets.MSG_DONTWAIT);
      } while (n >= 0);
    }
  }

  /// Sends one datagram.
  ///
  /// @param address the destination address, or an empty segment if the socket is connected
  /// @return the number of bytes sent, or a negative errno
  public int send(ByteBuffer buffer, MemorySegment address) {
    int length = buffer.remaining();
    if (length > ScratchBuffers.BYTES) {
      return -Errno.EMSGSIZE; // more than UDP has
    }
    try (Scratch scratch = ScratchBuffers.borrow()) {
      BufferIo.put(buffer, buffer.position(), scratch.segment, 0, length);
      int n = send(scratch.segment, length, address);
      if (n > 0) {
        buffer.position(buffer.position() + n);
      }
      return n;
    }
  }

  private int send(MemorySegment from, int length, MemorySegment address) {
    if (address.byteSize() == 0) {
      return Sockets.send(fd, from, 0, length, FLAGS);
    }
    MemorySegment.copy(address, 0, outgoing, NAME, address.byteSize());
    IoVec.set(outgoing, VECTOR, 0, from, 0, length);
    MsgHeader.set(outgoing, 0, outgoing, VECTOR, 1);
    MsgHeader.name(outgoing, 0, outgoing, NAME, (int) address.byteSize());
    int n = Sockets.sendmsg(fd, outgoing, 0, FLAGS);
    // Retries once, because the error was caused by an earlier datagram.
    return n == -Errno.ECONNREFUSED ? Sockets.sendmsg(fd, outgoing, 0, FLAGS) : n;
  }

  /// Sends one datagram as [#send] does, gathering its bytes from several buffers.
  public int gather(ByteBuffer[] buffers, int offset, int length) {
    long all = BufferIo.remaining(buffers, offset, length);
    if (all > ScratchBuffers.BYTES) {
      return -Errno.EMSGSIZE;
    }
    try (Scratch scratch = ScratchBuffers.borrow()) {
      int at = 0;
      for (int i = offset; i < offset + length; i++) {
        int part = buffers[i].remaining();
        BufferIo.put(buffers[i], buffers[i].position(), scratch.segment, at, part);
        at += part;
      }
      int n = send(scratch.segment, at, MemorySegment.NULL);
      if (n >= 0) {
        for (int i = offset; i < offset + length; i++) {
          buffers[i].position(buffers[i].limit());
        }
      }
      return n;
    }
  }
}
