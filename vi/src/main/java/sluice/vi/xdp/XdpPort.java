package sluice.vi.xdp;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import sluice.vi.device.Failure;
import sluice.vi.device.HandedPort;
import sluice.vi.device.PortSpec;

/// Implements one end of a VI over datagrams: joins what was posted with the two windows, and keeps
/// the connection alive. The fields belong to the device's thread.
///
/// ```
///             this side closes, or fails: CLOSE          the peer: CLOSE or GONE, or it is silent
///  OPEN ────────────────────────────────────▶ LEAVING ─────────────────────────────────▶ GONE
///   │ the peer closes                           │ CLOSE again, a few times               ▲
///   └────────▶ ENDING: what is in the stash waits for receives ── none is left, or closed┘
/// ```
///
/// Every datagram says what this side has received. A datagram that asks for it, or brings the last
/// fragment of a burst, or a fragment that is not taken, is answered at the end of the batch; so
/// are those that bring a quarter of the window together. A peer that has left [#MOST_UNANSWERED]
/// questions unanswered, sent again fragments among them, is dead: 5 s when something waits for it,
/// else 11.
final class XdpPort extends HandedPort implements Member {
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_UNANSWERED = 10;
  private static final int MOST_FAREWELLS = 6;

  /// Fragments of one turn, as many as the kernel sends for one call: other connections have their
  /// turn between.
  private static final int MOST_OF_A_TURN = 32;

  /// The next fragment of a burst is looked for this long before the device's thread may sleep. To
  /// sleep and to be woken costs both hosts more than a fragment does.
  private static final long BURST_NANOS = TimeUnit.MICROSECONDS.toNanos(30);

  private enum State {
    OPEN,
    ENDING,
    LEAVING,
    GONE
  }

  private final Line line;
  private final long id;
  private final long peerId;
  private final boolean reliable;
  private final Offer own;
  private final Runnable turning = this::turn;
  private final SendWindow sending;
  private final ReceiveWindow receiving;
  private State state = State.OPEN;
  private final AtomicBoolean queued = new AtomicBoolean();
  private boolean answerDue;

  /// True while the last fragment was not the last of its burst.
  private boolean bursting;

  private boolean waited;
  private boolean failing;
  private int unanswered;

  /// Waits are doubled so many times.
  private int doubled;

  private long heardAt;
  private long due;
  private Failure peerEnd = Failure.PEER_ENDED;

  /// @param spec what both sides agreed on
  /// @param id of this end, `peerId` of the other
  /// @param offer what the other side has said
  XdpPort(Line line, PortSpec spec, long id, long peerId, Offer offer) {
    super(spec);
    this.line = line;
    this.id = id;
    this.peerId = peerId;
    reliable = !spec.discards();
    int fragmentBytes = offer.datagramBytes() - Datagram.HEAD_BYTES;
    sending = new SendWindow(spec, fragmentBytes, offer.limit(), this::nextSend);
    receiving = new ReceiveWindow(spec, fragmentBytes, this::nextReceive);
    int slots = ReceiveWindow.slots(spec, fragmentBytes);
    own = new Offer(spec.transferBytes(), offer.datagramBytes(), slots, 0);
    heardAt = line.now();
    due = heardAt + IDLE_NANOS;
  }

  @Override
  public long id() {
    return id;
  }

  /// Returns what this end offers.
  Offer ownOffer() {
    return own;
  }

  /// Returns [#turn], for those that call it later.
  Runnable turning() {
    return turning;
  }

  // ---- any thread ----------------------------------------------------------------------------

  /// Asks for a turn. Of any thread.
  ///
  /// @return whether it was not asked for since the last one began
  boolean queue() {
    return queued.compareAndSet(false, true);
  }

  @Override
  protected void posted() {
    line.soon(this);
  }

  @Override
  protected void left() {
    boolean _ =
        line.order(
            () -> leave(false, noted(Failure.CLOSED))); // a device that is closed has ended all
  }

  // ---- what comes ----------------------------------------------------------------------------

  @Override
  public void received(MemorySegment datagram, int kind, int length) {
    if (Datagram.from(datagram) != peerId || state == State.GONE) {
      return;
    }
    switch (kind) {
      case Datagram.FRAGMENT, Datagram.STATUS, Datagram.CLOSE -> heard(datagram, kind, length);
      case Datagram.GONE -> peerIsGone();
      default -> {} // of the greeting, and late
    }
  }

  private void heard(MemorySegment datagram, int kind, int length) {
    heardAt = line.now();
    unanswered = 0;
    int flags = Datagram.flags(datagram);
    if (state == State.OPEN) {
      boolean misses = kind != Datagram.CLOSE && (flags & Datagram.MISSES) != 0;
      int done =
          sending.heard(
              Datagram.ack(datagram),
              Datagram.limit(datagram),
              Datagram.taken(datagram),
              misses,
              heardAt);
      if (done == SendWindow.CONTRADICTION) {
        breakOff(Failure.lost("the peer broke the protocol: it acknowledged what was not sent"));
        return;
      }
      if (done > 0) {
        sendsDone(done);
      }
      if (kind == Datagram.FRAGMENT) {
        ReceiveWindow.Outcome outcome = receiving.take(datagram, length);
        bursting = (flags & Datagram.MORE) != 0 && outcome != ReceiveWindow.Outcome.DROPPED;
        answerDue |= reliable && (!bursting || receiving.isNews());
        took(outcome);
      }
    }
    if (kind == Datagram.STATUS) {
      answerDue |= (flags & Datagram.ASKS) != 0;
    } else if (kind == Datagram.CLOSE) {
      peerCloses((flags & Datagram.FAILED) != 0);
    }
    if (state != State.GONE) {
      line.soon(this);
    }
  }

  private void took(ReceiveWindow.Outcome outcome) {
    if (outcome == ReceiveWindow.Outcome.COMPLETED) {
      receiveDone();
    } else if (outcome == ReceiveWindow.Outcome.BROKEN) {
      breakOff(receiving.broken());
    }
  }

  private void peerCloses(boolean failed) {
    int length = Datagram.prefix(line.memory(), Datagram.GONE, 0, peerId, id);
    line.send(this, length);
    if (state == State.LEAVING) {
      gone();
    } else if (state == State.OPEN) {
      state = State.ENDING;
      peerEnd = failed ? Failure.PEER_FAILED : Failure.PEER_CLOSED;
      dropSends(peerEnd);
    }
  }

  private void peerIsGone() {
    if (state == State.OPEN) {
      state = State.ENDING;
      peerEnd = Failure.PEER_ENDED;
      dropSends(peerEnd);
      line.soon(this);
    } else if (state == State.LEAVING) {
      gone();
    }
  }

  // ---- a turn --------------------------------------------------------------------------------

  /// Does what follows when something was posted, or a batch of datagrams has come.
  void turn() {
    queued.set(false); // what is posted from now on asks again
    if (state == State.OPEN || state == State.ENDING) {
      drain();
    }
    boolean waits = isInBurst();
    boolean wakes = answerDue || !waits;
    if (state == State.OPEN) {
      pump();
    } else if (state == State.ENDING && !receiving.holds()) {
      over(peerEnd);
    }
    if (waits) {
      line.soon(this);
    }
    if (wakes) {
      wakeSleepers();
    }
  }

  /// Returns whether the peer is about to send more. Threads that sleep wait for the end of the
  /// burst, or for a quarter of the window, and take what has come then in one go.
  private boolean isInBurst() {
    bursting &= state == State.OPEN && line.now() - heardAt < BURST_NANOS;
    return bursting;
  }

  private void drain() {
    ReceiveWindow.Outcome outcome = receiving.deliverStashed();
    while (outcome == ReceiveWindow.Outcome.TAKEN || outcome == ReceiveWindow.Outcome.COMPLETED) {
      answerDue |= receiving.isNews() || receiving.isNarrow();
      took(outcome);
      outcome = receiving.deliverStashed();
    }
    took(outcome);
  }

  private void pump() {
    long now = line.now();
    int sent = 0;
    int length = sending.fill(line.memory(), now);
    while (length > 0) {
      say(Datagram.FRAGMENT, sending.hasMore() ? Datagram.MORE : 0, length);
      sent++;
      length = sent < MOST_OF_A_TURN ? sending.fill(line.memory(), now) : 0;
    }
    int done = sending.sentAll();
    if (done > 0) {
      sendsDone(done);
    }
    if (answerDue) {
      say(Datagram.STATUS, 0, Datagram.HEAD_BYTES);
    }
    boolean waits = sending.waits();
    boolean changed = sending.progressed() || waits != waited;
    waited = waits;
    if (changed) {
      doubled = 0;
      rest(now);
    }
    if (sent == MOST_OF_A_TURN) {
      line.soon(this);
    }
  }

  /// Sends the datagram whose fragment, if any, is in the line's memory.
  private void say(int kind, int flags, int length) {
    MemorySegment memory = line.memory();
    int more = kind != Datagram.CLOSE && receiving.misses() ? Datagram.MISSES : 0;
    int _ = Datagram.prefix(memory, kind, flags | more, peerId, id);
    if (kind != Datagram.FRAGMENT) {
      Datagram.fragment(memory, sending.next(), 0, 0);
    }
    Datagram.status(memory, receiving.expected(), receiving.limit(), receiving.taken());
    receiving.told();
    answerDue = false;
    line.send(this, length);
  }

  // ---- time ----------------------------------------------------------------------------------

  @Override
  public boolean isHasty() {
    return state == State.LEAVING || waited;
  }

  private void rest(long now) {
    long wait = sending.waitNanos() << doubled;
    due = now + (isHasty() ? Math.min(wait, SendWindow.MOST_WAIT_NANOS) : IDLE_NANOS);
  }

  @Override
  public void tick() {
    long now = line.now();
    if (now - due < 0 || state == State.GONE) {
      return;
    }
    boolean quiet = !isHasty() && now - heardAt < IDLE_NANOS;
    if (state == State.LEAVING) {
      farewell();
    } else if (state == State.OPEN && !quiet) {
      ask();
    }
    doubled = quiet ? 0 : Math.min(doubled + 1, 6);
    rest(now);
  }

  private void ask() {
    if (unanswered == MOST_UNANSWERED) {
      peerEnd =
          Failure.lost("the peer has not answered for some seconds: its process or host is gone");
      over(peerEnd);
      return;
    }
    unanswered++;
    if (sending.timedOut()) {
      pump();
    } else {
      say(Datagram.STATUS, Datagram.ASKS, Datagram.HEAD_BYTES);
    }
  }

  // ---- the end -------------------------------------------------------------------------------

  /// Ends the connection as failed.
  void breakOff(Failure why) {
    leave(true, noted(why));
  }

  private void leave(boolean failed, Failure why) {
    if (state == State.GONE || state == State.LEAVING) {
      return;
    }
    if (state == State.ENDING) {
      over(why);
      return;
    }
    dropSends(why);
    endReceives(why);
    receiving.drop();
    failing = failed;
    state = State.LEAVING;
    unanswered = 0;
    doubled = 0;
    farewell();
    rest(line.now());
  }

  private void farewell() {
    if (unanswered == MOST_FAREWELLS) {
      gone();
    } else {
      unanswered++;
      say(Datagram.CLOSE, failing ? Datagram.FAILED : 0, Datagram.HEAD_BYTES);
    }
  }

  private void dropSends(Failure why) {
    sending.drop();
    endSends(why);
  }

  private void over(Failure why) {
    Failure end = noted(why);
    dropSends(end);
    endReceives(end);
    gone();
  }

  private void gone() {
    state = State.GONE;
    receiving.drop();
    line.gone(this);
  }

  /// Tells the peer that the device is closed; no answer is waited for longer than the device does.
  @Override
  public void stop() {
    leave(false, noted(Failure.DEVICE_CLOSED));
  }

  /// Returns whether the end is over.
  boolean isGone() {
    return state == State.GONE;
  }

  @Override
  public String toString() {
    Failure failure = failure();
    return "VI " + Long.toHexString(id) + " " + state + (failure == null ? "" : ": " + failure);
  }
}
