package sluice.nfs.rpc;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.nfs.RpcLimits;

/// A pool of message buffers that are grouped in size classes. The total size of the buffers is
/// limited. Instances are owned by the loop's thread.
///
/// Returned buffers are reused for messages of the same size class. They are freed when another
/// size class requires their memory.
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

  /// Acquires an empty buffer.
  ///
  /// @param bytes the required capacity, at most the maximum message length
  /// @return null if the limit is reached
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

  /// Acquires a buffer for a part of a message. Unlike [#take], this method reserves memory for one
  /// message of the maximum length, so that at least one of the waiting streams can always make
  /// progress.
  @Nullable MessageBuffer takePart(int bytes) {
    long used = account.usedBytes() - freeBytes + size(sizeClass(bytes));
    return used > account.limitBytes() - mostBytes ? null : take(bytes);
  }

  void give(MessageBuffer buffer) {
    buffer.clear();
    freeBytes += buffer.capacity();
    free[sizeClass(buffer.capacity())].push(buffer);
  }

  /// Returns the charged memory in bytes, including free buffers. This method is thread-safe.
  long usedBytes() {
    return account.usedBytes();
  }

  /// Frees all unused buffers of the pool.
  void close() {
    for (ArrayDeque<MessageBuffer> each : free) {
      while (!each.isEmpty()) {
        each.remove().close();
      }
    }
    freeBytes = 0;
  }
}
