package sluice.nfs.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import sluice.loop.Connection;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.View;
import sluice.memory.ViewBinder;
import sluice.memory.block.Block;

/// A buffer for one message that is processed after the turn in which it was received. It is owned
/// by one thread at a time. The loop's thread fills it, and a worker reads and returns it.
///
/// Its [Memory] has the same lifetime as the buffer, because creating and closing a memory for each
/// message would cost more than most calls.
final class MessageBuffer implements AutoCloseable {
  private final Block block;
  private final Memory memory;
  private int length;

  private MessageBuffer(Block block) {
    this.block = block;
    this.memory = Memory.readOnlyOver(block, 0, block.lengthBytes());
  }

  /// Allocates a buffer.
  ///
  /// @param account the account that is charged until the buffer is closed
  /// @return null if the limit of the account would be exceeded
  static @Nullable MessageBuffer allocate(Account account, int bytes) {
    Block block = Block.allocate(account, bytes);
    return block == null ? null : new MessageBuffer(block);
  }

  int capacity() {
    return (int) block.lengthBytes();
  }

  /// Returns the length of the message in the buffer.
  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  /// Appends a part of the received data.
  void append(View from, int at, int count) {
    if (count > capacity() - length) {
      throw new IndexOutOfBoundsException(
          count + " bytes more than " + length + " of " + capacity());
    }
    from.copyTo(at, block.segment(), length, count);
    length += count;
  }

  /// Appends the bytes that have arrived on a connection.
  ///
  /// @param most the maximum number of bytes, which must not exceed the free space
  /// @return the number of bytes that were appended
  int receive(Connection from, int most) {
    int taken = from.receiveInto(block, length, most);
    length += taken;
    return taken;
  }

  /// Appends the content of another buffer.
  void append(MessageBuffer from) {
    MemorySegment.copy(from.block.segment(), 0, block.segment(), length, from.length);
    length += from.length;
  }

  /// Appends the given bytes.
  void append(byte[] from) {
    MemorySegment.copy(from, 0, block.segment(), ValueLayout.JAVA_BYTE, length, from.length);
    length += from.length;
  }

  /// Returns a view of the message for the calling thread.
  View show(ViewBinder binder) {
    return binder.bind(block.segment(), 0, length);
  }

  /// Opens a reader of the message for the calling thread. The reader can pass on parts of the
  /// message as [Memory].
  XdrReader read(ViewBinder binder, XdrReader reader) {
    return reader.open(show(binder), 0, length, memory);
  }

  @Override
  public void close() {
    memory.close();
    block.release();
  }
}
