package sluice.loop;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import sluice.memory.View;

/// The protocol of [Interruptlets] on one loop: frames messages, shows each to the interruptlet
/// that is currently admitted, and passes unanswered ones to the slow path. Owned by the loop's
/// thread; its counters are read by other threads as hints.
final class InterruptletProtocol implements Protocol {
  /// The attachment of a connection that is closed once the slow path has answered.
  private static final Object CLOSES = new Object();

  private final Interruptlets socket;
  private final HandledInput shown;
  private final LoopCounters counters;
  private final InterruptletCall call;
  private final Executor slowPath;
  private Interruptlets.@Nullable Admission admission;
  private @Nullable Interruptlet interruptlet;

  long receivedBytes;
  long sentBytes;
  long answered;
  long passed;

  InterruptletProtocol(Interruptlets socket, Loop loop) {
    this.socket = socket;
    this.shown = loop.handledInput();
    this.counters = loop.counters();
    this.call = new InterruptletCall(loop);
    this.slowPath = loop.handlerPath();
  }

  @Override
  public void opened(Connection connection) {
    connection.deadline(socket.idleNanos);
  }

  @Override
  public int received(Connection connection, View input) {
    int end = input.length();
    int used = 0;
    while (used < end && connection.isOpen() && !connection.outputFull()) {
      int length = socket.framing.messageBytes(input, used);
      if (length == Framing.MORE) {
        break;
      }
      if (length < 0 || length > end - used) {
        throw new IllegalStateException(
            "the framing found " + length + " bytes in " + (end - used));
      }
      receivedBytes += length;
      View message = shown.message(used, length);
      boolean done;
      try {
        done = answer(connection, message);
        if (!done) {
          pass(connection, message);
        }
      } finally {
        shown.endMessage();
      }
      used += length;
      if (!done) {
        return used;
      }
    }
    if (used > 0 && connection.isOpen()) {
      connection.deadline(socket.idleNanos);
    }
    return used;
  }

  /// @return true if the interruptlet has answered
  private boolean answer(Connection connection, View message) {
    Interruptlets.Admission now = socket.admission();
    if (now != admission) {
      admission = now;
      interruptlet = now == null ? null : now.guard().make(now.perLoop());
    }
    Interruptlet asked = interruptlet;
    if (now == null || asked == null || now.guard().disabled()) {
      return false;
    }
    boolean done = call.answer(now.guard(), asked, connection, message);
    if (done) {
      answered++;
      sentBytes += call.sentBytes();
    }
    return done;
  }

  private void pass(Connection connection, View message) {
    int length = message.length();
    passed++;
    if (!shown.copies().tryCharge(length)) {
      counters.overBudgetConnections++;
      connection.close(); // replies to earlier messages are still sent
      return;
    }
    byte[] copy = new byte[length];
    message.copyTo(0, copy, 0, length);
    connection.deadline(0);
    SlowAnswer answer = new SlowAnswer(this, socket.slowHandler, connection.defer(), copy);
    try {
      slowPath.execute(answer);
    } catch (RejectedExecutionException e) {
      answer.reject();
    }
  }

  void slowlySent(int bytes) {
    sentBytes += bytes;
  }

  void answeredSlowly(Connection connection) {
    if (connection.attachment() == CLOSES) {
      connection.close();
    } else {
      connection.deadline(socket.idleNanos);
    }
  }

  /// Refunds the bytes that [#pass] has charged.
  void refund(int messageBytes) {
    shown.copies().refund(messageBytes);
  }

  @Override
  public void timedOut(Connection connection) {
    connection.close();
  }

  @Override
  public void draining(Connection connection) {
    if (connection.deferred()) {
      connection.attach(CLOSES);
    } else {
      connection.close();
    }
  }
}
