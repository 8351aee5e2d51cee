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

/// The table of direct descriptors of a ring, in which a socket's slot has the same number as its
/// descriptor. A send by slot requires no lookup in the process's table and no reference count
/// shared with other threads, which saves 2 % of a small echo. Owned by the engine's thread.
///
/// All operations except sends use the socket's descriptor. A slot is allocated for the second
/// send, so that a connection with one reply has no additional cost.
///
/// Lifecycle of a number: ordinary → sent once → slot requested → in use → [#clear] before the
/// descriptor is closed, since the slot holds the socket open.
final class DirectSlots {
  /// The maximum number of slots of a ring. Sockets with higher numbers have no slot.
  private static final int MOST = 16_384;

  private static final int OP = 127;

  private final SubmissionQueue submission;
  private final BitSet sentOnce = new BitSet();
  private final BitSet used = new BitSet();
  private final MemorySegment numbers;
  private int count;

  /// Registers a table for `ring`. It has one slot for each possible descriptor, but at most 16
  /// 384. If there is not enough memory for the table, sends use the descriptor.
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

  /// Returns true if the send being staged uses a slot.
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

  /// Returns true if a completion reports that the kernel has refused a slot. Slots have no other
  /// completions.
  static boolean isRefusal(long token) {
    return Token.op(token) == OP;
  }

  /// Handles the refusal of a slot because of insufficient memory. The socket continues without a
  /// slot, and no other socket requests one.
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
