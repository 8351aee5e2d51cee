package sluice.vi;

import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;

/// A ticket for one message that is or was posted, with its completion, length and failure. Owned
/// by the application's thread at the queue it is posted to.
public abstract sealed class ViTicket permits ViBATicket, ViBufferTicket, ViDescriptor {
  final Descriptor descriptor;
  private @Nullable Registrar vi;
  private boolean posted;
  private boolean send;

  ViTicket(int pieces) {
    descriptor = new Descriptor(this, pieces);
  }

  /// Returns true if the last posting has completed, successfully or not.
  public final boolean isDone() {
    return !posted && descriptor.isDone();
  }

  /// Returns true if the device has it.
  public final boolean isPosted() {
    return posted;
  }

  /// Returns true if it was posted last to a send queue.
  public final boolean isSend() {
    return send;
  }

  /// Returns the length of the received or sent message; 0 if it has not completed.
  public final int length() {
    return isDone() ? descriptor.transferredBytes() : 0;
  }

  /// Returns the reason of the failure; null if it did not fail.
  public final @Nullable String failure() {
    Failure failure = posted ? null : descriptor.failure();
    return failure == null ? null : failure.why();
  }

  /// Throws the exception that a wait would throw, if the last posting has failed. For tickets of a
  /// [ViCompletionQ].
  ///
  /// @throws ViException of the class that identifies the side at fault
  public final void check() throws ViException {
    Failure failure = posted ? null : descriptor.failure();
    if (failure != null) {
      throw ViFaults.of(failure);
    }
  }

  /// Returns the VI that it was posted to last, see [Vi#of].
  final @Nullable Registrar postedTo() {
    return vi;
  }

  /// Records that it is passed to the device.
  final void posted(Registrar to, boolean asSend) {
    vi = to;
    send = asSend;
    posted = true;
    descriptor.restart();
  }

  /// Records that the device has given it back.
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
