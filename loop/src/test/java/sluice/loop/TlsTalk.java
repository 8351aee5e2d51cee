package sluice.loop;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.loop.engine.FileBody;
import sluice.memory.Account;
import sluice.memory.View;
import sluice.memory.block.Block;

/// A protocol that uses everything a connection offers. Owned by the loop's thread; its counts are
/// for all of them.
///
/// A message is a letter, a length of four bytes, big-endian, and for `E` and `S` that many bytes:
///
/// | letter | answer |
/// |---|---|
/// | E | the bytes |
/// | S | the bytes, from the slow path in two pieces |
/// | B | `length` bytes of the pattern, from a shared block |
/// | F | `length` bytes of the pattern, from a file |
/// | Q | nothing: FIN |
final class TlsTalk implements Protocol {
  static final int HEADER_BYTES = 5;
  private static final int BLOCK_BYTES = 1 << 20;

  final Account account = new Account("test content", BLOCK_BYTES);
  final AtomicInteger open = new AtomicInteger();
  final AtomicInteger truncated = new AtomicInteger();
  final AtomicInteger ended = new AtomicInteger();
  final AtomicInteger files = new AtomicInteger();
  private final Block content;

  TlsTalk() {
    Block block = Block.allocate(account, BLOCK_BYTES);
    if (block == null) {
      throw new IllegalStateException("no room");
    }
    content = block;
    for (int i = 0; i < BLOCK_BYTES; i++) {
      content.segment().set(ValueLayout.JAVA_BYTE, i, pattern(i));
    }
  }

  /// Byte `i` of every generated answer.
  static byte pattern(long i) {
    int within = (int) (i % BLOCK_BYTES);
    return (byte) (within ^ within >>> 8 ^ within >>> 15);
  }

  @Override
  public void opened(Connection connection) {
    open.incrementAndGet();
  }

  @Override
  public int received(Connection connection, View input) {
    int used = 0;
    while (input.length() - used >= HEADER_BYTES && !connection.outputFull()) {
      int length = Integer.reverseBytes(input.getInt(used + 1));
      int body = used + HEADER_BYTES;
      byte letter = input.get(used);
      boolean carries = letter == 'E' || letter == 'S';
      if (carries && input.length() - body < length) {
        break;
      }
      used = body + (carries ? length : 0);
      switch (letter) {
        case 'E' -> connection.output().append(input, body, length);
        case 'S' -> {
          answerLater(connection, input, body, length);
          return used;
        }
        case 'B' -> {
          for (int at = 0; at < length; at += BLOCK_BYTES) {
            connection.output().append(content, 0, Math.min(BLOCK_BYTES, length - at));
          }
        }
        case 'F' -> {
          files.incrementAndGet();
          connection.output().file(new PatternFile(), 0, length);
        }
        default -> {
          connection.close();
          return used;
        }
      }
    }
    return used;
  }

  private static void answerLater(Connection connection, View input, int from, int length) {
    byte[] bytes = new byte[length];
    input.copyTo(from, bytes, 0, length);
    ReplyTicket ticket = connection.defer();
    connection
        .slowPath()
        .execute(() -> {
          int half = length / 2;
          ticket.append(c -> c.output().put(bytes, 0, half));
          ticket.complete(c -> c.output().put(bytes, half, length - half));
        });
  }

  @Override
  public void ended(Connection connection, int leftover) {
    ended.incrementAndGet();
    connection.close();
  }

  @Override
  public void truncated(Connection connection, int leftover) {
    truncated.incrementAndGet();
    Protocol.super.truncated(connection, leftover);
  }

  @Override
  public void closed(Connection connection) {
    open.decrementAndGet();
  }

  /// Ends the content's own lease.
  void release() {
    content.release();
  }

  private final class PatternFile implements FileBody {
    @Override
    public int fd() {
      return -1;
    }

    @Override
    public int read(long position, MemorySegment target, long offset, int length) {
      for (int i = 0; i < length; i++) {
        target.set(ValueLayout.JAVA_BYTE, offset + i, pattern(position + i));
      }
      return length;
    }

    @Override
    public boolean resident(long position, long length) {
      return true;
    }

    @Override
    public boolean unchanged() {
      return true;
    }

    @Override
    public void release() {
      files.decrementAndGet();
    }
  }
}
