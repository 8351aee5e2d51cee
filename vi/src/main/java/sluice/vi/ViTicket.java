package sluice.vi;

import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;

/// One message that is posted, or was: completion, length and failure. Belongs to the application's
/// thread at the queue it is posted to.
public abstract sealed class ViTicket permits ViBATicket, ViBufferTicket, ViDescriptor {
  final Descriptor descriptor;
  private @Nullable Registrar vi;
  private boolean posted;
  private boolean send;

  ViTicket(int pieces) {
    descriptor = new Descriptor(this, pieces);
  }

  /// Whether what was posted last has completed, well or not.
  public final boolean isDone() {
    return !posted && descriptor.isDone();
  }

  /// Whether the device has it.
  public final boolean isPosted() {
    return posted;
  }

  /// Whether it was posted last to a send queue.
  public final boolean isSend() {
    return send;
  }

  /// Of a completed receive, the length of the message; of a send, what was sent.
  public final int length() {
    return isDone() ? descriptor.transferredBytes() : 0;
  }

  /// Why it failed; null when it did not.
  public final @Nullable String failure() {
    Failure failure = posted ? null : descriptor.failure();
    return failure == null ? null : failure.why();
  }

  /// Throws what a wait would throw for it, if what was posted last has failed: for tickets of a
  /// [ViCompletionQ].
  ///
  /// @throws ViException of the class that tells the side at fault
  public final void check() throws ViException {
    Failure failure = posted ? null : descriptor.failure();
    if (failure != null) {
      throw ViFaults.of(failure);
    }
  }

  /// The VI that it was posted to last: see [Vi#of].
  final @Nullable Registrar postedTo() {
    return vi;
  }

  /// The device gets it.
  final void posted(Registrar to, boolean asSend) {
    vi = to;
    send = asSend;
    posted = true;
    descriptor.restart();
  }

  /// The device has given it back.
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
