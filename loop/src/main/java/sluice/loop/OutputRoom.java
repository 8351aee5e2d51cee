package sluice.loop;

import java.util.LinkedHashSet;
import sluice.loop.output.OutputMemory;
import sluice.memory.Account;

/// The output memory of a loop for peers that do not read, and the connections that are waiting for
/// it. Owned by the loop's thread.
///
/// **Dynamic threshold** (Choudhury, Hahne: Dynamic Queue Length Thresholds for Shared-Memory
/// Packet Switches, IEEE/ACM Transactions on Networking 6(2), 1998). A connection may allocate a
/// fixed share of the memory that is free. A few slow readers therefore have large shares and many
/// have small ones, and some memory is always left for a connection that holds none.
///
/// **First come, first served.** A connection that finds no room waits, and released memory is
/// granted to the connection that has waited longest. No connection is closed because memory has
/// run out.
///
/// **Staged bytes count as allocated**, because each of them must be stored if its send is partial,
/// and that must not fail. An eighth of the account is the reserve. It is used for a reply that is
/// longer than the memory that was free when its handler began, and for the next chunk of a waiting
/// connection whose output behind that chunk holds memory, so that connections cannot wait for each
/// other.
///
/// ```
/// 0                                  7/8 of the limit      limit
/// |  kept  |  staged  |  free: shares of it  |   reserve   |
/// ```
final class OutputRoom {
  /// The divisor that determines the share of the free memory that one connection may allocate.
  private static final int SHARES = 64;

  /// The amount of queued output of a connection at which no further message is handled, if memory
  /// is plentiful.
  private static final int HIGH_WATER_BYTES = 256 << 10;

  /// The amount of queued output below which a reply ticket has room again, if memory is plentiful.
  private static final int LOW_WATER_BYTES = 64 << 10;

  /// The minimum size of a chunk, unless the account is tiny.
  private static final int LEAST_BYTES = 4 << 10;

  private final OutputMemory memory;
  private final LoopCounters counters;
  private final Account account;
  private final long usableBytes;
  private final long reserveBytes;
  private final int leastBytes;
  private final LinkedHashSet<Endpoint> waiting = new LinkedHashSet<>();
  private int highWaterBytes = HIGH_WATER_BYTES;
  private int lowWaterBytes = LOW_WATER_BYTES;

  OutputRoom(OutputMemory memory, LoopCounters counters) {
    this.memory = memory;
    this.counters = counters;
    this.account = memory.kept();
    this.reserveBytes = account.limitBytes() / 8;
    this.usableBytes = account.limitBytes() - reserveBytes;
    this.leastBytes = Math.clamp(usableBytes / 2, 1, LEAST_BYTES);
  }

  /// Measures the room for staging in the next turn. Called once per turn, before staging begins.
  void measure() {
    memory.staging().limit(freeBytes());
    highWaterBytes = share(HIGH_WATER_BYTES);
    lowWaterBytes = share(LOW_WATER_BYTES);
  }

  /// Returns the amount of queued output, in bytes, at which no further message of a connection is
  /// handled.
  int highWaterBytes() {
    return highWaterBytes;
  }

  /// Returns the amount of queued output, in bytes, below which a reply ticket has room again.
  int lowWaterBytes() {
    return lowWaterBytes;
  }

  /// Returns the number of bytes that can still be allocated or staged. The value is negative if
  /// the reserve for replies in progress is in use.
  long freeBytes() {
    return usableBytes - account.usedBytes() - memory.stagedBytes();
  }

  /// Returns true if a connection that requests memory must wait.
  boolean isShort() {
    return freeBytes() < leastBytes;
  }

  /// Returns the number of bytes that one connection may hold now.
  ///
  /// @return at least the minimum chunk size, at most `most`
  private int share(int most) {
    return Math.clamp(freeBytes() / SHARES, leastBytes, Math.max(leastBytes, most));
  }

  /// Returns the size of the next chunk of output for a connection.
  ///
  /// @return at most `most`, or 0 if the connection must wait, see [#await]
  int piece(Endpoint connection, int most) {
    if (isShort()) {
      return mayUseReserve(connection) ? Math.min(most, leastBytes) : 0;
    }
    if (!waiting.isEmpty() && !connection.roomGranted) {
      return 0;
    }
    connection.roomGranted = false;
    return Math.min(most, share(most));
  }

  private boolean mayUseReserve(Endpoint connection) {
    return freeBytes() + reserveBytes >= leastBytes && connection.holdsOutputMemory();
  }

  /// Queues a connection. Its [Endpoint#roomCame] is called when memory has been released. Has no
  /// effect if the connection is already waiting.
  void await(Endpoint connection) {
    if (waiting.contains(connection)) {
      return;
    }
    counters.outputWaits++;
    if (connection.roomGranted || connection.holdsOutputMemory()) {
      connection.roomGranted = false;
      waiting.addFirst(connection); // it was its turn, or it can give memory back
    } else {
      waiting.add(connection);
    }
  }

  /// Returns true if the given connection is waiting.
  boolean awaitedBy(Endpoint connection) {
    return !waiting.isEmpty() && waiting.contains(connection);
  }

  /// Removes a connection that has been closed.
  void forget(Endpoint connection) {
    if (!waiting.isEmpty()) {
      waiting.remove(connection);
    }
  }

  /// Returns the number of waiting connections.
  int waitingCount() {
    return waiting.size();
  }

  /// Returns true if the next turn must not wait, because [#wake] may find free memory at its end.
  ///
  /// @param unsettled true if staged sends will be settled by that turn
  boolean wakesSoon(boolean unsettled) {
    return !waiting.isEmpty() && (unsettled || !isShort());
  }

  /// Grants free memory to the connections that have waited longest. Called once per turn, after
  /// its sends have been settled.
  void wake() {
    if (waiting.isEmpty()) {
      return;
    }
    long free = freeBytes();
    for (int i = waiting.size(); i > 0; i--) {
      Endpoint first = waiting.getFirst();
      if (memory.staging().full() || (free < leastBytes && !mayUseReserve(first))) {
        return;
      }
      free -= Math.max(leastBytes, free / SHARES);
      waiting.removeFirst();
      first.roomGranted = true;
      first.roomCame();
    }
  }
}
