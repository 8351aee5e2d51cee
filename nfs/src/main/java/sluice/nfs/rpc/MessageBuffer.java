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

/// Room for one message that outlives its arrival. Owned by one thread after another: the loop's
/// fills it, a worker reads it and gives it back.
///
/// Its [Memory] lives as long as it does: making one for each message, and ending it, would cost
/// more than most calls.
final class MessageBuffer implements AutoCloseable {
  private final Block block;
  private final Memory memory;
  private int length;

  private MessageBuffer(Block block) {
    this.block = block;
    this.memory = Memory.readOnlyOver(block, 0, block.lengthBytes());
  }

  /// @param account charged until it is closed
  /// @return null when the account has no room
  static @Nullable MessageBuffer allocate(Account account, int bytes) {
    Block block = Block.allocate(account, bytes);
    return block == null ? null : new MessageBuffer(block);
  }

  int capacity() {
    return (int) block.lengthBytes();
  }

  /// Bytes that it holds.
  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  /// Adds bytes of what is being received.
  void append(View from, int at, int count) {
    if (count > capacity() - length) {
      throw new IndexOutOfBoundsException(
          count + " bytes more than " + length + " of " + capacity());
    }
    from.copyTo(at, block.segment(), length, count);
    length += count;
  }

  /// Adds bytes that have come on a connection, as many as there are.
  ///
  /// @param most not more than there is room for
  /// @return how many
  int receive(Connection from, int most) {
    int taken = from.receiveInto(block, length, most);
    length += taken;
    return taken;
  }

  /// Adds what another one holds.
  void append(MessageBuffer from) {
    MemorySegment.copy(from.block.segment(), 0, block.segment(), length, from.length);
    length += from.length;
  }

  /// Adds bytes.
  void append(byte[] from) {
    MemorySegment.copy(from, 0, block.segment(), ValueLayout.JAVA_BYTE, length, from.length);
    length += from.length;
  }

  /// Shows the message to the thread that asks.
  View show(ViewBinder binder) {
    return binder.bind(block.segment(), 0, length);
  }

  /// Opens a reader for the thread that asks; its content may be handed on.
  XdrReader read(ViewBinder binder, XdrReader reader) {
    return reader.open(show(binder), 0, length, memory);
  }

  @Override
  public void close() {
    memory.close();
    block.release();
  }
}
