package sluice.loop.sockets;

import sluice.loop.engine.KernelTransport;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;

/// The shares in the descriptors of this process: connections get those below a boundary, and the
/// last ones, an eighth of what others leave, from 8 to 256, are for files, logs, and clients that
/// are told that there is no place.
///
/// The kernel gives out the lowest number that is free, so the number of a new descriptor tells
/// without a system call how many are open at least. Once one was above the boundary, and for some
/// seconds from then on, they are counted for each connection: those above it fill holes below.
/// Owned by the loop's thread.
///
/// ```
/// 0                                        serve to        refuse to        limit
/// | files that are always open, connections |  refused, told   | files and logs |
/// ```
public final class DescriptorRoom {
  private static final int LEAST = 8;
  private static final int MOST = 256;

  /// The meaning of a new descriptor.
  public enum Level {
    /// A connection may have it.
    PLENTY,

    /// A client that has it can be told that there is no place; an idle connection has to go if it
    /// is to stay.
    SCARCE,

    /// It belongs to files and logs.
    LAST
  }

  private static final long COUNTED_NANOS = 10_000_000_000L;

  /// Loops that may accept at the same time, each a part of the rest.
  private static final int LOOPS = 4;

  private final long limit;

  /// Up to so many, connections may have them in any case.
  private final long plenty;

  private long serveTo;
  private long refuseTo;
  private long countedUntil;
  private boolean counted;
  private long open;
  private long left;
  private long above;

  /// @param limit how many the process may have; negative for no limit
  public DescriptorRoom(long limit) {
    this.limit = limit < 0 ? Long.MAX_VALUE : limit;
    divide(0);
    plenty = serveTo;
    left = serveTo;
  }

  /// Of what others leave, connections get seven eighths: a process that has many files of its own
  /// has a place for them all the same.
  private void divide(long others) {
    long last = Math.clamp((limit - others) / 8, LEAST, MOST);
    serveTo = limit - last;
    refuseTo = limit - last / 2;
  }

  /// By the limit that is in force now; without one where the system does not tell.
  public static DescriptorRoom ofProcess() {
    try {
      return new DescriptorRoom(ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft());
    } catch (SysException | LinkageError | RuntimeException e) {
      return new DescriptorRoom(-1); // not Linux
    }
  }

  /// Returns what the descriptor of a new socket says.
  ///
  /// @param freed descriptors that are open and about to be closed
  /// @param connections that are open, of all loops
  /// @param now by the loop's clock
  public Level level(KernelTransport kernel, int socket, int freed, int connections, long now) {
    long used = kernel.descriptorsUsed(socket);
    if (used > plenty) {
      counted = true;
      countedUntil = now + COUNTED_NANOS;
    } else if (counted) {
      counted = countedUntil - now > 0;
    }
    open = counted ? Math.max(used, kernel.descriptorsUsed(-1)) : used;
    divide(Math.max(0, open - connections));
    left = serveTo - open;
    above = open - freed - serveTo;
    return level(open - freed);
  }

  /// Returns how many descriptors of those that are not for connections were open at the last
  /// [#level], at least 1.
  public int above() {
    return Math.clamp(above, 1, MOST);
  }

  /// Returns how many clients may be accepted before the next look at [#level], so that those which
  /// come together do not take what belongs to files and logs.
  public int batch() {
    return Math.clamp(left / LOOPS, 1, Integer.MAX_VALUE);
  }

  /// Returns how many descriptors are open behind the last client of a batch, if no other loop
  /// accepts meanwhile.
  public int batchEnd() {
    return Math.clamp(open + batch(), 0, Integer.MAX_VALUE);
  }

  /// @param used descriptors that are open at least; 0 where that is unknown
  Level level(long used) {
    return used <= serveTo ? Level.PLENTY : used <= refuseTo ? Level.SCARCE : Level.LAST;
  }
}
