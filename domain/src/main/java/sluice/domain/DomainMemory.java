package sluice.domain;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;
import sluice.sys.threads.HostThread;

/// The native memory of one domain, which consists of memory objects allocated for it by its host
/// and of its direct buffers. Both are charged to one account. Any thread may call.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | objects, look, ended | any | under the lock | under the lock |
/// | closing | the thread that ends the domain | volatile | volatile |
final class DomainMemory {
  private static final int FIRST_LOOK = 64;

  /// Holds the cleaner, whose thread is started with the first buffer.
  private static final class Buffers {
    static final Cleaner CLEANER = Cleaner.create();
  }

  private final String domain;
  private final Account account;
  private List<Memory> objects = new ArrayList<>();
  private int look = FIRST_LOOK;
  private boolean ended;
  private volatile @Nullable Thread closing;

  DomainMemory(DomainConfig config) {
    domain = config.name();
    account = new Account("domain " + domain, config.budget().memoryBytes());
  }

  Account account() {
    return account;
  }

  /// Allocates zeroed memory that is revoked when the domain is terminated.
  ///
  /// @throws IllegalStateException if the memory budget is exhausted, or the domain has ended
  Memory allocate(long bytes) {
    Block block = Block.allocate(account, bytes);
    if (block == null) {
      throw refusal(bytes);
    }
    Memory memory = Memory.over(block, 0, bytes);
    block.release();
    if (!add(memory)) {
      memory.close();
      throw refusal(bytes);
    }
    return memory;
  }

  private synchronized boolean add(Memory memory) {
    if (ended) {
      return false;
    }
    if (objects.size() >= look) {
      objects.removeIf(each -> !each.isLive());
      look = Math.max(FIRST_LOOK, 2 * objects.size());
    }
    objects.add(memory);
    return true;
  }

  /// Allocates a direct buffer. The account is refunded when the buffer is garbage-collected.
  ///
  /// @throws IllegalStateException if the memory budget is exhausted
  ByteBuffer buffer(int bytes) {
    if (!account.tryCharge(Math.max(bytes, 0))) {
      throw refusal(bytes);
    }
    ByteBuffer made;
    try {
      made = ByteBuffer.allocateDirect(bytes);
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      account.refund(Math.max(bytes, 0));
      throw e;
    }
    Account charged = account;
    Cleaner.Cleanable _ = Buffers.CLEANER.register(made, () -> charged.refund(bytes));
    return made;
  }

  private IllegalStateException refusal(long bytes) {
    boolean gone;
    synchronized (this) {
      gone = ended;
    }
    return new IllegalStateException(
        "domain "
            + domain
            + " takes "
            + bytes
            + " bytes of native memory. Why: "
            + (gone
                ? "the domain has ended"
                : account.usedBytes() + " of " + account.limitBytes() + " bytes are in use")
            + ". Fix: "
            + (gone
                ? "create it again"
                : "close memory, drop buffers and wait for a collection, or raise the budget:"
                    + " memory=N"));
  }

  /// Closes all memory objects in a separate thread, because each close requires a handshake with
  /// all threads.
  void end() {
    List<Memory> last;
    synchronized (this) {
      ended = true;
      last = objects;
      objects = new ArrayList<>();
    }
    if (!last.isEmpty()) {
      closing = HostThread.daemon("revoke-" + domain, () -> last.forEach(Memory::close));
      closing.start();
    }
  }

  /// Returns true if all memory objects of the ended domain are closed.
  boolean areClosed() {
    Thread thread = closing;
    return thread == null || !thread.isAlive();
  }
}
