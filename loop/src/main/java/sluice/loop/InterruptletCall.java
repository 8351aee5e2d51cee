package sluice.loop;

import sluice.memory.View;

/// Invokes the interruptlets of one loop. Each call is watched and timed, and leaves no trace in
/// the output if the interruptlet passes the message. Owned by the loop's thread. Protocols of
/// other modules use it as [InterruptletProtocol] does.
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
  /// @param from the offset of the message in the input given to the protocol
  /// @param length the length of the message in bytes
  /// @return true if the interruptlet has answered; otherwise nothing was staged
  public boolean answer(
      HandlerGuard guard, Interruptlet interruptlet, Connection connection, int from, int length) {
    View message = shown.message(from, length);
    try {
      return answer(guard, interruptlet, connection, message);
    } finally {
      shown.endMessage();
    }
  }

  /// Shows all of the current input to an interruptlet.
  ///
  /// @return true if the interruptlet has answered; otherwise nothing was staged
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

  /// Returns the length of the last answer in bytes.
  public long sentBytes() {
    return sentBytes;
  }
}
