package sluice.nfs.rpc;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.nfs.RpcLimits;

/// Buffers for messages, by size, within a budget. Owned by the loop's thread.
///
/// What is given back is kept for the next message of its size, until another size needs the room.
final class MessagePool {
  private static final int SMALLEST_SHIFT = 10;

  private final Account account;
  private final int mostBytes;
  private final ArrayDeque<MessageBuffer>[] free;
  private long freeBytes;

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  MessagePool(String name, RpcLimits limits) {
    account = new Account(name, limits.messageMemoryBytes());
    mostBytes = limits.messageBytes();
    free = new ArrayDeque[sizeClass(mostBytes) + 1];
    for (int i = 0; i < free.length; i++) {
      free[i] = new ArrayDeque<>();
    }
  }

  private static int sizeClass(int bytes) {
    int shift = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, bytes - 1));
    return Math.max(0, shift - SMALLEST_SHIFT);
  }

  private int size(int sizeClass) {
    return Math.min(mostBytes, 1 << (sizeClass + SMALLEST_SHIFT));
  }

  /// @param bytes at most those of the longest message
  /// @return empty; null when the budget has no room
  @Nullable MessageBuffer take(int bytes) {
    int wanted = sizeClass(bytes);
    MessageBuffer kept = free[wanted].poll();
    if (kept != null) {
      freeBytes -= kept.capacity();
      return kept;
    }
    MessageBuffer made = MessageBuffer.allocate(account, size(wanted));
    for (int i = free.length - 1; made == null && i >= 0; i--) {
      while (made == null && !free[i].isEmpty()) {
        MessageBuffer spare = free[i].remove();
        freeBytes -= spare.capacity();
        spare.close();
        made = MessageBuffer.allocate(account, size(wanted));
      }
    }
    return made;
  }

  /// As [#take], for a part of a message: leaves so much that one message of any length can be
  /// finished, whichever stream waits for more.
  @Nullable MessageBuffer takePart(int bytes) {
    long used = account.usedBytes() - freeBytes + size(sizeClass(bytes));
    return used > account.limitBytes() - mostBytes ? null : take(bytes);
  }

  void give(MessageBuffer buffer) {
    buffer.clear();
    freeBytes += buffer.capacity();
    free[sizeClass(buffer.capacity())].push(buffer);
  }

  /// Memory that is charged, kept buffers included. Any thread.
  long usedBytes() {
    return account.usedBytes();
  }

  /// Frees what is kept.
  void close() {
    for (ArrayDeque<MessageBuffer> each : free) {
      while (!each.isEmpty()) {
        each.remove().close();
      }
    }
    freeBytes = 0;
  }
}
