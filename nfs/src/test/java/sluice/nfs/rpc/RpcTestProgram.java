package sluice.nfs.rpc;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.memory.Account;
import sluice.memory.Memory;
import sluice.memory.block.Block;

/// A program for tests of the transport. Its fields belong to the test's thread, except thread-safe
/// ones.
final class RpcTestProgram implements RpcProgram {
  static final int NUMBER = 400_100;

  /// Returns the number in the arguments, at once.
  static final int FAST = 1;

  /// Returns the number from a worker.
  static final int SLOW = 2;

  /// Returns the number from a worker that waits for [#gate].
  static final int GATED = 3;

  /// Returns the sum of the content, from a worker.
  static final int SUM = 4;

  /// Returns the requested number of bytes, leased from a block, at once or (for odd numbers) from
  /// a worker.
  static final int READ = 5;

  /// Returns the content at once.
  static final int ECHO = 6;

  /// The same as [#SLOW] and [#GATED], through the group commit queue.
  static final int GROUPED = 7;

  static final int GROUPED_GATED = 8;

  static final int READ_BYTES = 1 << 20;

  final Semaphore gate = new Semaphore(0);
  final AtomicInteger running = new AtomicInteger();
  final AtomicInteger mostRunning = new AtomicInteger();
  final Account account = new Account("test program", 4 << 20);
  private final Block content = filled(account);

  private static Block filled(Account account) {
    Block block = Block.allocate(account, READ_BYTES);
    if (block == null) {
      throw new AssertionError(account.toString());
    }
    for (int i = 0; i < READ_BYTES; i++) {
      block.segment().set(ValueLayout.JAVA_BYTE, i, content(i));
    }
    return block;
  }

  static byte content(int at) {
    return (byte) (at * 7 + (at >> 9));
  }

  /// The number of bytes of one lease of [#READ].
  static final int LEASED_BYTES = 4096;

  /// Returns the number of held leases.
  int leases() {
    return content.leases() - 1;
  }

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public int lowestVersion() {
    return 1;
  }

  @Override
  public int highestVersion() {
    return 1;
  }

  @Override
  public boolean tryCall(RpcCall call, XdrReader arguments, XdrWriter results) {
    switch (call.procedure()) {
      case FAST -> results.int32(arguments.int32());
      case READ -> {
        int bytes = arguments.int32();
        if ((bytes & 1) != 0) {
          results.int32(bytes);
          return false;
        }
        read(call, bytes, results);
      }
      case ECHO -> results.opaque(arguments.opaque(READ_BYTES));
      default -> {
        results.int32(99);
        if (call.procedure() == GROUPED || call.procedure() == GROUPED_GATED) {
          call.forGroupCommit();
        }
        return false;
      }
    }
    return true;
  }

  /// Writes the content as a file system does: bytes that do not fit are left out, except for
  /// datagrams.
  private void read(RpcCall call, int asked, XdrWriter results) {
    int most = Math.min(READ_BYTES, results.remaining() - 8);
    int bytes = call.datagram() ? asked : Math.min(asked, most);
    results.int32(bytes);
    for (int at = 0; at < bytes; at += LEASED_BYTES) {
      results.block(content, at, Math.min(LEASED_BYTES, bytes - at));
    }
    results.pad();
  }

  @Override
  public int leases(RpcCall call, XdrReader arguments) {
    return call.procedure() == READ ? arguments.int32() : 0;
  }

  @Override
  public void call(RpcCall call, XdrReader arguments, XdrWriter results) {
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      switch (call.procedure()) {
        case SLOW, GROUPED -> results.int32(arguments.int32());
        case GATED, GROUPED_GATED -> {
          if (!gate.tryAcquire(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the test has forgotten a gated call");
          }
          results.int32(arguments.int32());
        }
        case SUM -> {
          Memory memory = arguments.content(READ_BYTES);
          long sum = 0;
          for (long at = 0; at < memory.lengthBytes(); at++) {
            sum = 31 * sum + memory.get(at);
          }
          results.int64(sum);
        }
        case READ -> read(call, arguments.int32(), results);
        default -> throw new RpcRefusal(RpcRefusal.PROCEDURE_UNAVAILABLE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      running.decrementAndGet();
    }
  }

  static long sum(byte[] bytes) {
    long sum = 0;
    for (byte each : bytes) {
      sum = 31 * sum + each;
    }
    return sum;
  }
}
