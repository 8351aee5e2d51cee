package sluice.loop.uring;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import sluice.loop.engine.Token;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;
import sluice.sys.uring.IoUring;
import sluice.sys.uring.SubmissionQueue;

/// Sockets that a ring knows by a slot of its table of direct descriptors, too; the slot has the
/// number of the descriptor. A send by slot looks nothing up in the process's table and counts no
/// reference that other threads share, which is 2 % of a small echo. Owned by the engine's thread.
///
/// A socket keeps its descriptor, for all but sends. It gets its slot with the second send, so that
/// a connection with one reply costs nothing more.
///
/// Lifecycle of a number: ordinary → sent once → slot asked for → in use → [#clear] before the
/// descriptor is closed, since the slot holds the socket open.
final class DirectSlots {
  /// Most slots of a ring. Sockets with higher numbers do without.
  private static final int MOST = 16_384;

  private static final int OP = 127;

  private final SubmissionQueue submission;
  private final BitSet sentOnce = new BitSet();
  private final BitSet used = new BitSet();
  private final MemorySegment numbers;
  private int count;

  /// A table for `ring`, with as many slots as there can be descriptors, at most 16 384. Without
  /// memory for it there is none, and sends go by descriptor.
  DirectSlots(IoUring ring) {
    submission = ring.submission();
    count = register(ring);
    numbers = Arena.ofAuto().allocate((long) count * Integer.BYTES, Integer.BYTES);
  }

  private static int register(IoUring ring) {
    try {
      long limit = ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft();
      int slots = Long.compareUnsigned(limit, MOST) < 0 ? (int) limit : MOST;
      ring.registerFiles(slots);
      return slots;
    } catch (SysException noMemory) {
      return 0;
    }
  }

  /// Whether the send that is being staged goes by slot.
  boolean forSend(int socket) {
    if (used.get(socket)) {
      return true;
    }
    if (socket < count) {
      if (sentOnce.get(socket)) {
        use(socket);
      } else {
        sentOnce.set(socket);
      }
    }
    return false;
  }

  private void use(int socket) {
    used.set(socket);
    long at = (long) socket * Integer.BYTES;
    numbers.set(JAVA_INT, at, socket);
    submission.fillSlot(socket, numbers, at, Token.of(OP, 0, socket));
  }

  /// Whether a completion says that the kernel refused a slot; the others say nothing.
  static boolean isRefusal(long token) {
    return Token.op(token) == OP;
  }

  /// The kernel refused a slot, for want of memory: the socket goes on without, and no other asks.
  void refused(long token) {
    used.clear(Token.index(token));
    count = 0;
  }

  /// The socket is about to be closed.
  void clear(int socket) {
    sentOnce.clear(socket);
    if (used.get(socket)) {
      used.clear(socket);
      submission.closeDirect(socket);
    }
  }
}
