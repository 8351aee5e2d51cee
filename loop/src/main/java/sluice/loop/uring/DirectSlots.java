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

/// The table of direct descriptors of a ring, in which sockets have a slot with the number of their
/// descriptor. A send by slot needs no lookup in the process's table and no reference count shared
/// with other threads, which saves 2 % of a small echo. Owned by the engine's thread.
///
/// A socket keeps its descriptor for everything but sends. It gets its slot with the second send,
/// so that a connection with one reply costs nothing more.
///
/// Lifecycle of a number: ordinary → sent once → slot requested → in use → [#clear] before the
/// descriptor is closed, since the slot holds the socket open.
final class DirectSlots {
  /// The most slots of a ring. Sockets with higher numbers have none.
  private static final int MOST = 16_384;

  private static final int OP = 127;

  private final SubmissionQueue submission;
  private final BitSet sentOnce = new BitSet();
  private final BitSet used = new BitSet();
  private final MemorySegment numbers;
  private int count;

  /// Registers a table for `ring`, with as many slots as there can be descriptors, at most 16 384.
  /// Without memory for it there is no table, and sends go by descriptor.
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

  /// Returns true if the send being staged goes by slot.
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

  /// Returns true if a completion reports that the kernel refused a slot. There are no other
  /// completions of slots.
  static boolean isRefusal(long token) {
    return Token.op(token) == OP;
  }

  /// Handles the refusal of a slot, for lack of memory: the socket continues without, and no other
  /// one requests a slot.
  void refused(long token) {
    used.clear(Token.index(token));
    count = 0;
  }

  /// Releases the slot of a socket that is about to be closed.
  void clear(int socket) {
    sentOnce.clear(socket);
    if (used.get(socket)) {
      used.clear(socket);
      submission.closeDirect(socket);
    }
  }
}
