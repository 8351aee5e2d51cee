package sluice.vi.local;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.sys.Mapping;
import sluice.vi.device.Descriptor;
import sluice.vi.device.Failure;
import sluice.vi.device.Port;
import sluice.vi.device.PortQueues;
import sluice.vi.device.PortSpec;
import sluice.vi.device.WorkQueue;

/// One end of a connection through shared memory. The send queue and the receive queue are each
/// owned by one thread at a time. Events of the peer are reported by [Watcher]'s thread.
///
/// There is no active device. Messages are transferred when a thread posts or polls, by the sender
/// copying into the ring and the receiver copying out of it.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `sends`, `out` | the thread at the send queue | plain | plain |
/// | `receives`, `in` | the thread at the receive queue | plain | plain |
/// | `failure` | the first that finds one | volatile | volatile, under the monitor |
/// | `closed` | the closing thread | under the monitor | under the monitor |
/// | `ended` | `Watcher`'s thread | volatile | volatile |
///
/// Lifecycle: created after both sides have mapped the memory → used → possibly failed → closed.
final class LocalPort implements Port {
  /// The maximum time to sleep, after which a thread wakes by itself. It is limited because a
  /// hostile peer may clear the flag that indicates that this side is asleep.
  private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final PortSpec spec;
  private final Mapping mapping;
  private final Link link;
  private final SendRing out;
  private final ReceiveRing in;
  private final PortQueues queues;
  private final WorkQueue sends;
  private final WorkQueue receives;

  private boolean closed;
  private volatile @Nullable Failure failure;
  private volatile @Nullable Failure ended;

  /// @param spec the specification on which both sides have agreed
  /// @param side 0 for the connecting side, 1 for the accepting side
  LocalPort(PortSpec spec, Mapping mapping, int side, Link link) {
    this.spec = spec;
    this.mapping = mapping;
    this.link = link;
    int ring = spec.ringBytes();
    MemorySegment whole = mapping.segment();
    out = new SendRing(RingLayout.direction(whole, side, ring), ring);
    in = new ReceiveRing(RingLayout.direction(whole, 1 - side, ring), ring, spec.transferBytes());
    queues = new PortQueues(spec);
    sends = queues.sends;
    receives = queues.receives;
  }

  @Override
  public PortQueues queues() {
    return queues;
  }

  @Override
  public void postSend(Descriptor descriptor) {
    sends.add(descriptor);
    progressSends();
  }

  @Override
  public void postReceive(Descriptor descriptor) {
    receives.add(descriptor);
    if (spec.discards()) {
      in.announceReceive();
    }
  }

  @Override
  public @Nullable Descriptor pollSend() {
    if (!sends.isAllSent()) {
      progressSends();
    }
    Failure why = lost(); // read before the ring: what was received before the end counts
    if (spec.acknowledged()) {
      acknowledge();
    }
    return sends.take(why);
  }

  /// Returns the failure for the sends that are not complete, including the case that the peer
  /// accepts no more messages.
  private @Nullable Failure lost() {
    Failure why = failure;
    return why != null ? why : ended;
  }

  @Override
  public void progressSends() {
    Descriptor next = sends.unsent();
    if (next == null || lost() != null) {
      return;
    }
    long before = out.sent();
    try {
      do {
        boolean lost = spec.discards() && next.transferredBytes() == 0 && !out.isExpected();
        if (!lost && !out.send(next)) {
          break;
        }
        next.mark(out.sent());
        if (!spec.acknowledged()) {
          next.finish();
        }
        sends.sent();
        next = sends.unsent();
      } while (next != null);
    } catch (RingViolation e) {
      fail(Failure.of(e));
    }
    if (out.sent() != before && out.wakes()) {
      link.wake();
    }
  }

  private void acknowledge() {
    Descriptor head = sends.head();
    if (head == null || head.mark() == 0) {
      return;
    }
    try {
      if (head.mark() <= out.consumed()) {
        head.finish();
      }
    } catch (RingViolation e) {
      fail(Failure.of(e));
    }
  }

  @Override
  public boolean isReceiveQuiet() {
    return in.isQuiet() && sends.isAllSent() && lost() == null;
  }

  @Override
  public @Nullable Descriptor pollReceive() {
    Descriptor head = receives.head();
    if (head == null) {
      return null;
    }
    Failure end = ended; // read before the ring: what came before the end is delivered
    if (failure == null && !head.isDone()) {
      try {
        if (takeFragments(head)) {
          end = null;
        }
      } catch (RingViolation e) {
        fail(Failure.of(e));
      }
    }
    if (end != null && !head.isDone()) {
      fail(end);
    }
    return receives.take(failure);
  }

  /// Receives at most the number of fragments that fit into a ring, so that a peer that continues
  /// to write cannot keep the thread in this method.
  ///
  /// @return true if any fragment arrived
  private boolean takeFragments(Descriptor head) throws RingViolation {
    int taken = 0;
    boolean complete = false;
    while (!complete && taken < RingLayout.SLOTS && in.isReady()) {
      complete = in.receive(head);
      taken++;
      if (!complete) {
        in.publish();
      }
    }
    if (complete) {
      head.finish();
    }
    if (taken == 0) {
      if (in.unpublished() > 0) {
        in.publish(); // no sender sleeps for room in a ring that is empty
      }
    } else if (!complete || taken > 1 || mustTell()) {
      in.publish();
      if (out.wakes()) {
        link.wake();
      }
    }
    return taken > 0;
  }

  /// Returns true if the peer must be notified immediately of the single fragment that was
  /// received, because it may be sleeping until there is space or until a message has been stored
  /// in its buffer. A single fragment never fills a ring, so a sender that waits for space has more
  /// fragments in it. In other cases the store, and reading the peer's flag, would only delay the
  /// answer to this message, and the next poll notifies the peer.
  private boolean mustTell() {
    return spec.acknowledged() || in.unpublished() > 1 || !in.isQuiet();
  }

  @Override
  public boolean takesArrays() {
    return true;
  }

  @Override
  public boolean needsSendProgress() {
    return !sends.isAllSent();
  }

  @Override
  public @Nullable Failure failure() {
    return failure;
  }

  /// Ends the connection with a failure. Every posted descriptor will be returned as failed.
  private void fail(Failure why) {
    end(why, Link.FAILED);
  }

  private void end(Failure why, byte how) {
    synchronized (this) {
      if (failure == null) {
        failure = why;
      }
    }
    link.end(how);
    unpark();
  }

  /// Records that the peer has terminated. Called on the watcher's thread.
  void peerEnded(Failure why) {
    ended = why;
    unpark();
  }

  /// Wakes the sleeping threads, because the peer has changed something. Called on the watcher's
  /// thread.
  void unpark() {
    queues.unparkBoth();
  }

  @Override
  public synchronized long arm(Thread sleeper, boolean atSends) {
    queues.sleeps(sleeper, atSends);
    sleep(true);
    return NAP_NANOS;
  }

  @Override
  public synchronized void disarm(boolean atSends) {
    queues.wakes(atSends);
    if (!queues.hasSleeper()) {
      sleep(false);
    }
  }

  private void sleep(boolean asleep) {
    if (!closed) {
      in.sleep(asleep);
    }
  }

  @Override
  public void end(Failure why) {
    end(why, Link.CLOSED);
  }

  @Override
  public void close() {
    end(Failure.CLOSED);
    synchronized (this) {
      if (!closed) {
        closed = true;
        mapping.close();
      }
    }
  }
}
