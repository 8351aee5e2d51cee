package sluice.vi;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Level I of a VI, which transfers byte arrays by copying them through registered memory. The
/// fields for sending are owned by the thread at the send queue, and those for receiving by the
/// thread at the receive queue.
///
/// Since the address of an array is not stable after a call, every message is copied through
/// registered memory once on each side, regardless of its length. A device that copies in Java code
/// ([sluice.vi.device.Port#takesArrays]) uses the array directly. In this case a send returns when
/// the device no longer needs the array. If the send exceeds its timeout, the rest of the message
/// is copied.
///
/// Limits: the number of receive buffers is limited to the depth of the receive queue. They are
/// allocated on first use.
final class LevelOne {
  /// The number of receives that [#recv] keeps posted, so that messages can be received between two
  /// calls.
  private static final int PREPOSTED = 8;

  private static final int LEAST_BYTES = 4096;

  private final Vi vi;
  private final ViQueue sends;
  private final ViQueue receives;
  private final ArrayDeque<Bounce> idleSends = new ArrayDeque<>();
  private final ArrayDeque<Bounce> idleReceives = new ArrayDeque<>();
  private final ArrayDeque<ViBATicket> idleTickets = new ArrayDeque<>();
  private @Nullable Bounce sending;

  /// The ticket for sends on a device that uses arrays directly.
  private final ViBATicket inPlace = new ViBATicket(new byte[0], 0);

  /// True if the posted receives were posted by [#recv].
  private boolean byRecv;

  LevelOne(Vi vi, ViQueue sends, ViQueue receives) {
    this.vi = vi;
    this.sends = sends;
    this.receives = receives;
  }

  void send(byte[] b, int off, int len, int micros) throws ViException {
    Objects.checkFromIndexSize(off, len, b.length);
    sends.guard().enter();
    try {
      sends.checkWaits();
      if (sending != null) {
        finishSend(micros); // a send that timed out before
      } else if (inPlace.isPosted()) {
        finishInPlace(micros);
      }
      sends.check(true, len);
      if (vi.takesArrays()) {
        inPlace.lendArray(b, off, len);
        sends.hand(inPlace);
        finishInPlace(micros);
        return;
      }
      Bounce memory = room(idleSends, len);
      memory.copyFrom(b, off, len);
      ViBufferTicket ticket = memory.ticket();
      ticket.buffer().claim();
      ticket.descriptor.clear();
      ticket.descriptor.add(memory.memory(), 0, len, memory.key());
      sending = memory;
      sends.hand(ticket);
      finishSend(micros);
    } finally {
      sends.guard().exit();
    }
  }

  private void finishInPlace(int micros) throws ViException {
    try {
      ViTicket _ = sends.await(true, micros);
    } finally {
      if (inPlace.isPosted()) {
        inPlace.takeArrayBack();
      }
    }
  }

  private void finishSend(int micros) throws ViException {
    Bounce memory = Objects.requireNonNull(sending);
    try {
      ViTicket _ = sends.await(true, micros);
    } finally {
      if (!memory.ticket().isPosted()) {
        sending = null;
        memory.giveBack();
      }
    }
  }

  /// Returns a buffer of at least the given size, which must not exceed the maximum message length.
  private Bounce room(ArrayDeque<Bounce> idle, int bytes) throws ViException {
    Bounce memory = idle.poll();
    if (memory != null && memory.sizeBytes() < bytes) {
      memory.close();
      memory = null;
    }
    if (memory == null) {
      int size = Integer.highestOneBit(Math.max(bytes, LEAST_BYTES) * 2 - 1);
      memory = new Bounce(vi, size, idle);
    }
    return memory;
  }

  byte[] recv(int micros) throws ViException {
    receives.guard().enter();
    try {
      receives.checkWaits();
      if (receives.holdsLevelOne() && !byRecv) {
        throw new IllegalStateException("tickets are posted. Fix: wait for them with recvWait");
      }
      byRecv = true;
      prepost();
      ViBATicket done = (ViBATicket) receives.await(true, micros);
      idleTickets.add(done);
      return done.byteArray();
    } finally {
      receives.guard().exit();
    }
  }

  /// Posts receives until the required number are posted. If the VI fails meanwhile, a receive that
  /// is already posted may have completed with a message, so the subsequent wait reports the
  /// failure.
  private void prepost() throws ViException {
    int wanted = Math.min(PREPOSTED, vi.attributes().receiveDepth());
    while (receives.waitable() < wanted && !vi.hasFailed()) {
      ViBATicket ticket = idleTickets.poll();
      try {
        post(ticket == null ? new ViBATicket() : ticket, vi.transferBytes());
      } catch (ViException e) {
        if (receives.waitable() == 0) {
          throw e;
        }
        return;
      }
    }
  }

  void recvPost(ViBATicket ticket) throws ViException {
    receives.guard().enter();
    try {
      checkNotByRecv();
      byRecv = false;
      post(ticket, ticket.room());
    } finally {
      receives.guard().exit();
    }
  }

  private void post(ViBATicket ticket, int room) throws ViException {
    receives.check(true, 0);
    ticket.checkIdle();
    int bytes = Math.min(room, vi.transferBytes());
    if (vi.takesArrays() && !ticket.allocates()) {
      ticket.lendArray(bytes);
    } else {
      ticket.borrow(room(idleReceives, bytes), bytes);
    }
    receives.hand(ticket);
  }

  private void checkNotByRecv() {
    if (receives.holdsLevelOne() && byRecv) {
      throw new IllegalStateException(
          "recv keeps receives posted on this VI. Fix: recv alone, or recvPost and recvWait");
    }
  }

  ViBATicket recvWait(int micros) throws ViException {
    receives.guard().enter();
    try {
      checkNotByRecv();
      return (ViBATicket) receives.await(true, micros);
    } finally {
      receives.guard().exit();
    }
  }

  /// Releases the buffers. Called after both queues have been drained.
  void close() {
    Bounce last = sending;
    if (last != null) {
      last.giveBack();
    }
    idleSends.forEach(Bounce::close);
    idleReceives.forEach(Bounce::close);
    idleSends.clear();
    idleReceives.clear();
  }
}
