package sluice.nio.ring;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import sluice.loop.engine.Completion;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.uring.BufferRing;
import sluice.sys.uring.Cqe;
import sluice.sys.uring.IoUring;

/// The pieces of [RingMemory] that one ring receives into. A ring's turn shows and takes them,
/// under the turn lock; any thread may give back the piece of which it has read the last.
///
/// The kernel fills the pieces in the order in which it was shown them, and each bit by bit, so
/// that small messages lie side by side (kernels before 6.12 use up a piece with each receive). It
/// is shown a few more than one turn fills, those that were read last first, so that the same few
/// stay in the caches. When a turn has filled all of them it is shown more; what was too many for a
/// long time goes back to the JVM's other rings.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `returned` | any thread | volatile, through `RETURNED` | CAS; getAndSet under the turn lock |
/// | the rest | holder of the ring's turn lock | plain | plain |
///
/// Lifecycle: opened with one piece → grows and shrinks → closed when the kernel has let go of the
/// ring, and no stream holds a part any more.
final class RingArena {
  static final int GROUP = 1;
  private static final int ENTRIES = 256;
  private static final int FIRST_TARGET = 2;
  private static final int MAX_TARGET = ENTRIES / 2;

  /// Crossings after which it is looked at whether fewer pieces would do.
  private static final int REVIEW = 4096;

  private static final VarHandle RETURNED;

  static {
    try {
      RETURNED = MethodHandles.lookup().findVarHandle(RingArena.class, "returned", RingPiece.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final BufferRing buffers;
  private final ArrayList<RingPiece> owned = new ArrayList<>();

  /// Pieces that are free and not shown, the one to show next first.
  private @Nullable RingPiece cold;

  private int coldCount;

  /// Pieces that the kernel has, and has put nothing in.
  private int shown;

  private int target = FIRST_TARGET;
  private int lowest = Integer.MAX_VALUE;
  private int crossings;

  @SuppressWarnings("unused") // through RETURNED: head of the list that readers push onto
  private volatile @Nullable RingPiece returned;

  RingArena(IoUring ring) throws IOException {
    buffers = register(ring);
    adopt(RingMemory.need());
    publish();
  }

  private static BufferRing register(IoUring ring) throws IOException {
    int bytes = RingMemory.PIECE_BYTES;
    try {
      return ring.registerBufferRing(GROUP, RingMemory.region(), ENTRIES, bytes, true);
    } catch (SysException refused) {
      if (refused.errno() != Errno.EINVAL) {
        throw refused;
      }
      return ring.registerBufferRing(GROUP, RingMemory.region(), ENTRIES, bytes, false);
    }
  }

  private void adopt(RingPiece piece) {
    piece.own(this);
    owned.add(piece);
    push(piece);
  }

  private void push(RingPiece piece) {
    piece.next = cold;
    cold = piece;
    coldCount++;
  }

  private @Nullable RingPiece pop() {
    RingPiece first = cold;
    if (first != null) {
      cold = first.next;
      coldCount--;
    }
    return first;
  }

  /// A reader has read the last of a piece. Any thread.
  void giveBack(RingPiece piece) {
    RingPiece head;
    do {
      head = returned;
      piece.next = head;
    } while (!RETURNED.compareAndSet(this, head, piece));
  }

  private void reclaim() {
    if (returned == null) {
      return;
    }
    RingPiece piece = (RingPiece) RETURNED.getAndSet(this, (RingPiece) null);
    while (piece != null) {
      RingPiece next = piece.next;
      push(piece);
      piece = next;
    }
  }

  /// Takes what a completion has brought, with one lease.
  ///
  /// @param length bytes received
  /// @return the part: where it begins in the region in the upper half, `length` in the lower
  long taken(int flags, int length) {
    RingPiece piece = RingMemory.piece(Completion.chunk(flags));
    if (piece.isEmpty()) {
      shown--;
    }
    int at = piece.fill(length);
    if ((flags & Cqe.F_BUF_MORE) != 0) {
      piece.lease(); // else the ring's own goes with the last part
    }
    return (long) at << 32 | length;
  }

  /// Takes back what was read, and shows the kernel as many pieces as it may need next.
  void publish() {
    reclaim();
    lowest = Math.min(lowest, shown);
    if (++crossings == REVIEW) {
      shrink();
    }
    if (shown >= target) {
      return;
    }
    if (shown == 0 && owned.size() >= target) { // all that were to do for a turn are used
      target = Math.min(MAX_TARGET, 2 * target);
    }
    int before = shown;
    while (shown < target && (cold != null || grow())) {
      show();
    }
    if (shown > before) {
      buffers.commit();
    }
  }

  private boolean grow() {
    RingPiece more = RingMemory.take();
    if (more != null) {
      adopt(more);
    }
    return more != null;
  }

  private void show() {
    RingPiece piece = pop();
    if (piece != null) {
      piece.show();
      buffers.add(piece.index);
      shown++;
    }
  }

  private void shrink() {
    if (lowest > FIRST_TARGET) {
      target = Math.max(FIRST_TARGET, target - lowest / 2);
    }
    while (coldCount > target) {
      RingPiece piece = pop();
      if (piece != null) {
        owned.remove(piece);
        RingMemory.giveBack(piece);
      }
    }
    lowest = Integer.MAX_VALUE;
    crossings = 0;
  }

  /// Whether the kernel has a piece that it may fill from the beginning.
  boolean hasFree() {
    return shown > 0;
  }

  /// Pieces that the ring has.
  int pieces() {
    return owned.size();
  }

  /// Gives everything back. The kernel has let go of the ring, and no stream holds a part.
  void close() {
    owned.forEach(RingMemory::giveBack);
    owned.clear();
  }
}
