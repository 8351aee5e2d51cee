package sluice.testkit.sim;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// An operation, from its staging until its last completion is delivered. Owned by the engine's
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

    /// Returns true if the operation stays with the kernel until a last completion.
    boolean armed() {
      return switch (this) {
        case ACCEPT, RECEIVE, SEND_ALL, WRITABLE, CONNECT, POLL -> true;
        case SEND, SHUTDOWN, CLOSE, CANCEL -> false;
      };
    }
  }

  /// A sequence of completions that must be delivered in order.
  static final class Lane {
    final ArrayDeque<Completed> waiting = new ArrayDeque<>();
    long lastReadyNanos;
  }

  record Completed(SimOperation operation, int result, long flags) {}

  final Kind kind;
  final long token;

  /// The socket, listener or descriptor; -1 for a cancellation.
  final int number;

  final Lane lane;

  /// The kernel's action when the operation is handed over.
  final Runnable action;

  /// The bytes of a send.
  final @Nullable SimBytes bytes;

  /// True once the operation was handed to the kernel.
  boolean started;

  /// True once the kernel has queued the last completion.
  boolean finished;

  /// True once the last completion was delivered to the caller.
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

  /// Returns true if the kernel may still complete the operation.
  boolean active() {
    return started && !finished;
  }

  static boolean unsettled(@Nullable SimOperation operation) {
    return operation != null && !operation.settled;
  }

  /// Returns the operation if the kernel may still complete it, or else null.
  static @Nullable SimOperation ifActive(@Nullable SimOperation operation) {
    return operation != null && operation.active() ? operation : null;
  }

  @Override
  public String toString() {
    return kind + " on " + number + " with token 0x" + Long.toHexString(token);
  }
}
