package sluice.vi;

import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Level I of a VI: byte arrays, copied through registered memory. Sending is owned by the thread
/// at the send queue, receiving by the thread at the receive queue.
///
/// An array has no address that a device could use after a call, so every message is copied through
/// registered memory once on each side, whatever its length. A device that copies by Java code
/// ([sluice.vi.device.Port#takesArrays]) takes the array itself: a send returns when the device has
/// finished with it, and a send that exceeds its time limit keeps the rest of the message in a
/// copy.
///
/// Limits: as many receive buffers as the receive queue is deep, made when they are first needed.
final class LevelOne {
  /// The number of receives that [#recv] keeps posted, so that messages between two calls find
  /// room.
  private static final int PREPOSTED = 8;

  private static final int LEAST_BYTES = 4096;

  private final Vi vi;
  private final ViQueue sends;
  private final ViQueue receives;
  private final ArrayDeque<Bounce> idleSends = new ArrayDeque<>();
  private final ArrayDeque<Bounce> idleReceives = new ArrayDeque<>();
  private final ArrayDeque<ViBATicket> idleTickets = new ArrayDeque<>();
  private @Nullable Bounce sending;

  /// The send of a device that takes arrays.
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

  /// Returns a buffer of at least a given size, up to the longest message.
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

  /// Posts receives up to the wanted number. If the VI fails meanwhile, receives that are already
  /// posted may have a message: the wait reports that.
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
