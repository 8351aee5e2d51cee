package sluice.testkit.sim;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One operation from its staging until its caller has heard the last of it. Owned by the engine's
/// thread.
final class SimOperation {
  enum Kind {
    ACCEPT,
    RECEIVE,
    SEND,
    SEND_ALL,
    WRITABLE,
    CONNECT,
    POLL,
    SHUTDOWN,
    CLOSE,
    CANCEL;

    /// Whether the operation stays with the kernel until a last completion.
    boolean armed() {
      return switch (this) {
        case ACCEPT, RECEIVE, SEND_ALL, WRITABLE, CONNECT, POLL -> true;
        case SEND, SHUTDOWN, CLOSE, CANCEL -> false;
      };
    }
  }

  /// Completions that must be delivered in the order they came about.
  static final class Lane {
    final ArrayDeque<Completed> waiting = new ArrayDeque<>();
    long lastReadyNanos;
  }

  record Completed(SimOperation operation, int result, long flags) {}

  final Kind kind;
  final long token;

  /// Socket, listener or descriptor; -1 for a cancellation.
  final int number;

  final Lane lane;

  /// What the kernel does when the operation is handed over.
  final Runnable action;

  /// Bytes of a send.
  final @Nullable SimBytes bytes;

  /// The kernel has it.
  boolean started;

  /// The kernel has queued its last completion.
  boolean finished;

  /// The caller has heard the last of it.
  boolean settled;

  SimOperation(
      Kind kind, long token, int number, Lane lane, @Nullable SimBytes bytes, Runnable action) {
    this.kind = kind;
    this.token = token;
    this.number = number;
    this.lane = lane;
    this.bytes = bytes;
    this.action = action;
  }

  /// Whether the kernel may complete it.
  boolean active() {
    return started && !finished;
  }

  static boolean unsettled(@Nullable SimOperation operation) {
    return operation != null && !operation.settled;
  }

  /// The operation if the kernel may complete it, else null.
  static @Nullable SimOperation ifActive(@Nullable SimOperation operation) {
    return operation != null && operation.active() ? operation : null;
  }

  @Override
  public String toString() {
    return kind + " on " + number + " with token 0x" + Long.toHexString(token);
  }
}
