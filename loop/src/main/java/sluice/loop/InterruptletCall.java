package sluice.loop;

import sluice.memory.View;

/// Calls interruptlets on one loop: watched and timed, and without a trace in the output where they
/// pass. Owned by the loop's thread; protocols of other modules use it as [InterruptletProtocol]
/// does.
public final class InterruptletCall {
  private final HandledInput shown;
  private final RunningHandler running;
  private final OutputMark mark = new OutputMark();
  private long sentBytes;

  public InterruptletCall(Loop loop) {
    this.shown = loop.handledInput();
    this.running = loop.handler();
  }

  /// Shows a message to an interruptlet.
  ///
  /// @param from where the message begins in what the protocol was given
  /// @param length bytes of the message
  /// @return whether it has answered; otherwise nothing was staged
  public boolean answer(
      HandlerGuard guard, Interruptlet interruptlet, Connection connection, int from, int length) {
    View message = shown.message(from, length);
    try {
      return answer(guard, interruptlet, connection, message);
    } finally {
      shown.endMessage();
    }
  }

  /// As above, for all that the input shows now.
  boolean answer(
      HandlerGuard guard, Interruptlet interruptlet, Connection connection, View message) {
    mark.set(connection.output());
    boolean done = false;
    guard.enter(running);
    try {
      done = interruptlet.handle(message, connection.output());
    } catch (RuntimeException | Error e) {
      guard.times().failed();
      throw e;
    } finally {
      guard.exit(running);
      sentBytes = done ? mark.bytesSince() : 0;
      if (done) {
        mark.clear();
      } else {
        mark.rollback();
      }
    }
    return done;
  }

  /// Bytes of the last answer.
  public long sentBytes() {
    return sentBytes;
  }
}
