package sluice.vi;

import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;

/// A ticket for a message, which records its completion, length and failure. It is owned by the
/// application's thread at the queue to which it is posted.
public abstract sealed class ViTicket permits ViBATicket, ViBufferTicket, ViDescriptor {
  final Descriptor descriptor;
  private @Nullable Registrar vi;
  private boolean posted;
  private boolean send;

  ViTicket(int pieces) {
    descriptor = new Descriptor(this, pieces);
  }

  /// Returns true if the most recent post has completed, successfully or not.
  public final boolean isDone() {
    return !posted && descriptor.isDone();
  }

  /// Returns true if the device currently owns this ticket.
  public final boolean isPosted() {
    return posted;
  }

  /// Returns true if this ticket was last posted to a send queue.
  public final boolean isSend() {
    return send;
  }

  /// Returns the length of the received or sent message, or 0 if it has not completed.
  public final int length() {
    return isDone() ? descriptor.transferredBytes() : 0;
  }

  /// Returns the reason for the failure, or null if the message has not failed.
  public final @Nullable String failure() {
    Failure failure = posted ? null : descriptor.failure();
    return failure == null ? null : failure.why();
  }

  /// Throws the exception that a wait would throw if the most recent post has failed. This method
  /// is intended for tickets that are returned by a [ViCompletionQ].
  ///
  /// @throws ViException of the subclass that identifies the side at fault
  public final void check() throws ViException {
    Failure failure = posted ? null : descriptor.failure();
    if (failure != null) {
      throw ViFaults.of(failure);
    }
  }

  /// Returns the VI to which this ticket was last posted. See [Vi#of].
  final @Nullable Registrar postedTo() {
    return vi;
  }

  /// Records that this ticket is being passed to the device.
  final void posted(Registrar to, boolean asSend) {
    vi = to;
    send = asSend;
    posted = true;
    descriptor.restart();
  }

  /// Records that the device has returned this ticket.
  final void completed() {
    posted = false;
    giveBack();
  }

  final void checkIdle() {
    if (posted) {
      throw new IllegalStateException(
          "this ticket is posted already. Fix: wait until it completes, or use another one");
    }
  }

  /// Returns the buffers to the application.
  abstract void giveBack();
}
