package sluice.vi;

import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Port;

/// One work queue of a VI. Belongs to the thread that has entered its [Guard].
final class ViQueue implements Waiter.Source {
  private final Vi vi;
  private final Port port;
  private final boolean sends;
  private final int depth;
  private final Guard guard;
  private final @Nullable ViCompletionQ completions;

  /// Of what is posted: whether it is Level I's. A queue serves one level at a time.
  private boolean levelOne;

  ViQueue(Vi vi, Port port, boolean sends, int depth, @Nullable ViCompletionQ completions) {
    this.vi = vi;
    this.port = port;
    this.sends = sends;
    this.depth = depth;
    this.completions = completions;
    guard = new Guard(sends ? "send queue" : "receive queue");
  }

  Guard guard() {
    return guard;
  }

  Vi vi() {
    return vi;
  }

  int posted() {
    return sends ? port.sendsPosted() : port.receivesPosted();
  }

  @Nullable ViCompletionQ completions() {
    return completions;
  }

  /// Refuses to post when it cannot be. The guard is entered.
  void check(boolean asLevelOne, int length) throws ViException {
    vi.checkConnected();
    int posted = posted();
    if (posted >= depth) {
      throw new ViException(
          "the queue is full: "
              + depth
              + " descriptors are posted. Fix: wait for one, or make the queue deeper"
              + " (ViAttributes.withDepths)");
    }
    if (posted > 0 && levelOne != asLevelOne) {
      throw new IllegalStateException(
          "the other level's descriptors are posted to this queue. Fix: wait for them first");
    }
    if (sends && length > port.spec().transferBytes()) {
      throw new ViException(
          "a message of "
              + length
              + " bytes, longer than the two ends agreed on ("
              + port.spec().transferBytes()
              + "). Fix: ViAttributes.withTransferBytes on both sides");
    }
    levelOne = asLevelOne;
  }

  /// Hands a ticket whose descriptor is ready to the device. The guard is entered.
  void hand(ViTicket ticket) {
    ticket.posted(vi, sends);
    if (sends) {
      port.postSend(ticket.descriptor);
    } else {
      port.postReceive(ticket.descriptor);
    }
  }

  /// Posts a part of one buffer.
  void post(ViBufferTicket ticket, int offset, int length) throws ViException {
    guard.enter();
    try {
      check(false, length);
      ticket.checkIdle();
      ticket.check(vi, sends, offset, length);
      ViBuffer buffer = ticket.buffer();
      buffer.claim();
      ticket.descriptor.only(buffer.memory(), offset, length, ticket.key());
      hand(ticket);
    } finally {
      guard.exit();
    }
  }

  /// Posts pieces of several buffers.
  void post(ViDescriptor pieces) throws ViException {
    guard.enter();
    try {
      check(false, 0);
      pieces.checkIdle();
      pieces.claim(vi, sends);
      try {
        check(false, pieces.descriptor.lengthBytes());
      } catch (ViException e) {
        pieces.giveBack();
        throw e;
      }
      hand(pieces);
    } finally {
      guard.exit();
    }
  }

  @Override
  public @Nullable ViTicket poll() {
    if (!sends && port.needsSendProgress()) {
      vi.progressSends();
    }
    Descriptor done = sends ? port.pollSend() : port.pollReceive();
    if (done == null) {
      return null;
    }
    ViTicket ticket = (ViTicket) done.owner();
    ticket.completed();
    return ticket;
  }

  @Override
  public boolean isQuiet() {
    return !sends && port.isReceiveQuiet();
  }

  @Override
  public boolean isPollLong() {
    return port.isPollLong();
  }

  /// Waits for the next completion. The guard is entered.
  ///
  /// @throws ViException the VI has failed; then all that was posted has completed as failed
  ViTicket await(int micros) throws ViException {
    if (completions != null) {
      throw new IllegalStateException(
          "completions of this queue go to its completion queue. Fix: wait there");
    }
    if (posted() == 0) {
      vi.checkConnected();
      throw new IllegalStateException("nothing is posted to this queue. Fix: post first");
    }
    ViTicket ticket = Waiter.await(this, vi.attributes(), micros);
    if (ticket == null) {
      throw new ViTimeout("nothing completed within " + micros + " microseconds");
    }
    String failure = ticket.failure();
    if (failure != null) {
      drainFailed();
      throw new ViException("the VI has failed: " + failure);
    }
    return ticket;
  }

  private void drainFailed() {
    port.fail("a descriptor failed");
    drain();
    vi.failed(this);
  }

  /// Takes all that is posted off a device that has failed or ended. The guard is entered.
  void drain() {
    while (posted() > 0) {
      ViTicket _ = poll();
    }
  }

  @Override
  public long arm(Thread sleeper) {
    return port.arm(sleeper, sends);
  }

  @Override
  public void disarm() {
    port.disarm(sends);
  }
}
