package sluice.vi;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;
import sluice.vi.device.Port;

/// One of the two work queues of a VI. Owned by the thread that has entered its [Guard].
final class ViQueue implements Waiter.Source {
  private final Vi vi;
  private final Port port;
  private final boolean sends;
  private final int depth;
  private final Guard guard;
  private final @Nullable ViCompletionQ completions;

  /// True if the posted descriptors belong to Level I. A queue serves only one level at a time.
  private boolean levelOne;

  /// The tickets that had completed successfully when the other queue failed, which are returned by
  /// the next waits. Usually null.
  private @Nullable ArrayDeque<ViTicket> kept;

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

  /// Returns the number of tickets that can be awaited, which are either posted or have completed.
  int waitable() {
    ArrayDeque<ViTicket> done = kept;
    return done == null ? posted() : posted() + done.size();
  }

  boolean holdsLevelOne() {
    return levelOne && waitable() > 0;
  }

  /// Checks that a ticket may be posted. If earlier completions have not been returned yet, a
  /// failure of the VI does not cause the post to be rejected. The ticket then fails after the
  /// earlier completions have been returned. The caller has entered the guard.
  void check(boolean asLevelOne, int length) throws ViException {
    int posted = waitable();
    if (posted == 0) {
      vi.checkConnected();
    }
    if (posted >= depth) {
      throw new ViMisconfigured(
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
      throw new ViMisconfigured(
          "a message of "
              + length
              + " bytes, longer than the two ends agreed on ("
              + port.spec().transferBytes()
              + "). Fix: ViAttributes.withTransferBytes on both sides");
    }
    levelOne = asLevelOne;
  }

  /// Passes a ticket to the device after its descriptor has been prepared. The caller has entered
  /// the guard.
  void hand(ViTicket ticket) {
    ticket.posted(vi, sends);
    if (sends) {
      port.postSend(ticket.descriptor);
    } else {
      port.postReceive(ticket.descriptor);
    }
  }

  /// Posts a part of a single buffer.
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

  /// Posts segments of several buffers.
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
    ArrayDeque<ViTicket> done = kept;
    if (done != null) {
      kept = done.size() > 1 ? done : null;
      return done.remove();
    }
    return pollPosted();
  }

  private @Nullable ViTicket pollPosted() {
    if (!sends && port.needsSendProgress()) {
      vi.progressSends();
    }
    Descriptor done = sends ? port.pollSend() : port.pollReceive();
    if (done == null) {
      return null;
    }
    Failure failed = done.failure();
    if (failed != null) {
      done.fail(vi.told(failed));
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

  /// Rejects a wait on this queue if its tickets are delivered to a completion queue.
  void checkWaits() {
    if (completions != null) {
      throw new IllegalStateException(
          "completions of this queue go to its completion queue. Fix: wait there");
    }
  }

  /// Waits for the next completion. The caller has entered the guard.
  ///
  /// @param asLevelOne true if the caller expects a ticket of Level I
  /// @throws IllegalStateException if nothing is posted, or the next ticket belongs to the other
  ///   level, in which case it remains posted
  /// @throws ViException if the VI has failed and all earlier completions have been returned, in
  ///   which case all posted descriptors have failed
  ViTicket await(boolean asLevelOne, int micros) throws ViException {
    checkWaits();
    if (waitable() == 0) {
      vi.checkConnected();
      throw new IllegalStateException("nothing is posted to this queue. Fix: post first");
    }
    if (levelOne != asLevelOne) {
      throw new IllegalStateException(
          levelOne
              ? "what is posted is Level I's. Fix: wait with recv or recvWait, or send again"
              : "what is posted is Level II's. Fix: wait with recvBufWait or sendBufWait");
    }
    ViTicket ticket = Waiter.await(this, vi.attributes(), micros);
    if (ticket == null) {
      throw new ViTimeout("nothing completed within " + micros + " microseconds");
    }
    if (ticket.failure() != null) {
      settle(); // a descriptor that fails has ended its queue
      if (port.failure() != null) {
        vi.failed(this);
      }
      ticket.check();
    }
    return ticket;
  }

  /// Removes all posted descriptors from a device that has ended this queue or is about to end it.
  /// The thread parks until they are returned. Successful completions are kept for the next waits.
  /// The caller has entered the guard.
  void settle() {
    boolean interrupted = false;
    while (posted() > 0) {
      if (!settleOne()) {
        long most = arm(Thread.currentThread());
        try {
          if (!settleOne()) { // what came before the device could know of the sleeper
            LockSupport.parkNanos(this, most);
          }
        } finally {
          disarm();
        }
        interrupted |= Thread.interrupted(); // parking would return at once
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean settleOne() {
    ViTicket ticket = pollPosted();
    if (ticket != null && ticket.failure() == null) {
      ArrayDeque<ViTicket> done = kept == null ? new ArrayDeque<>() : kept;
      done.add(ticket);
      kept = done;
    }
    return ticket != null;
  }

  /// Settles the queue as [#settle] does, but discards the completions because the VI is closed.
  /// The caller has entered the guard.
  void end() {
    settle();
    kept = null;
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
