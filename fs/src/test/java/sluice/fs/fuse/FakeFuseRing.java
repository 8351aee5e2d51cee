package sluice.fs.fuse;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import sluice.fs.FileTree;
import sluice.fs.fuse.FakeFuseKernel.Answer;
import sluice.memory.Account;

/// Puts requests into a ring entry and takes the answers, as the kernel does. Confined to the
/// test's thread.
final class FakeFuseRing implements AutoCloseable {
  final FuseSession session;
  final FuseRingEntry entry;
  final MemorySegment memory;
  private final FuseExchange exchange;
  private long unique = 1;

  FakeFuseRing(FileTree tree, boolean ready) throws IOException {
    session = new FuseSession(tree, FuseOptions.of("test"), _ -> {});
    if (ready) {
      session.ringsReady();
    }
    exchange = new FuseExchange(session, new Account("fuse test", FuseExchange.BYTES));
    entry = new FuseRingEntry(exchange);
    memory = exchange.buffer.segment();
  }

  /// Sends a request and returns the answer.
  ///
  /// @param first the structure of the operation, at most 128 bytes
  /// @param content everything that follows the structure
  Answer ask(int opcode, long node, ByteBuffer first, byte[] content) throws IOException {
    int length = FuseLayout.IN_BYTES + first.remaining() + content.length;
    unique += 2;
    memory.asSlice(0, FuseLayout.RING_HEADER_BYTES).fill((byte) 0);
    memory.set(JAVA_INT_UNALIGNED, FuseLayout.IN_LEN, length);
    memory.set(JAVA_INT_UNALIGNED, FuseLayout.IN_OPCODE, opcode);
    memory.set(JAVA_LONG_UNALIGNED, FuseLayout.IN_UNIQUE, unique);
    memory.set(JAVA_LONG_UNALIGNED, FuseLayout.IN_NODEID, node);
    ByteBuffer op = memory.asSlice(FuseLayout.RING_HEADER_OP_IN, 128).asByteBuffer();
    op.put(first);
    MemorySegment.copy(
        MemorySegment.ofArray(content), 0, memory, FuseExchange.CONTENT, content.length);
    inOut(FuseLayout.RING_ENTRY_COMMIT_ID, unique);
    memory.set(
        JAVA_INT_UNALIGNED,
        FuseLayout.RING_HEADER_RING_ENT_IN_OUT + (long) FuseLayout.RING_ENTRY_PAYLOAD_SZ,
        content.length);
    entry.answer();
    return answer();
  }

  void inOut(int offset, long value) {
    memory.set(JAVA_LONG_UNALIGNED, FuseLayout.RING_HEADER_RING_ENT_IN_OUT + (long) offset, value);
  }

  /// Returns the answer in the entry.
  Answer answer() throws IOException {
    int bytes =
        memory.get(
            JAVA_INT_UNALIGNED,
            FuseLayout.RING_HEADER_RING_ENT_IN_OUT + (long) FuseLayout.RING_ENTRY_PAYLOAD_SZ);
    if (memory.get(JAVA_INT_UNALIGNED, FuseLayout.OUT_LEN) != FuseLayout.OUT_BYTES + bytes) {
      throw new IOException("the header says another length than " + bytes);
    }
    ByteBuffer body = FakeFuseKernel.body(bytes);
    body.put(memory.asSlice(FuseExchange.CONTENT, bytes).asByteBuffer()).flip();
    return new Answer(
        memory.get(JAVA_LONG_UNALIGNED, FuseLayout.OUT_UNIQUE),
        memory.get(JAVA_INT_UNALIGNED, FuseLayout.OUT_ERROR),
        body.order(ByteOrder.LITTLE_ENDIAN));
  }

  @Override
  public void close() throws IOException {
    exchange.close();
    session.nodes.close();
  }
}
