package sluice.loop.sockets;

import sluice.loop.engine.KernelTransport;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;

/// The division of this process's descriptors: connections get those below a boundary. The last
/// ones, an eighth of those not used otherwise, from 8 to 256, are for files, logs, and clients
/// that are told that there is no place.
///
/// The kernel assigns the lowest free number, so the number of a new descriptor is a lower bound of
/// the open ones, without a system call. Once a number was above the boundary, and for some seconds
/// from then on, the open descriptors are counted for each connection, because new numbers fill
/// gaps below it. Owned by the loop's thread.
///
/// ```
/// 0                                        serve to        refuse to        limit
/// | files that are always open, connections |  refused, told   | files and logs |
/// ```
public final class DescriptorRoom {
  private static final int LEAST = 8;
  private static final int MOST = 256;

  /// The significance of a new descriptor.
  public enum Level {
    /// A connection may keep it.
    PLENTY,

    /// Its client can be told that there is no place; the client may stay only if an idle
    /// connection is ended.
    SCARCE,

    /// It is reserved for files and logs.
    LAST
  }

  private static final long COUNTED_NANOS = 10_000_000_000L;

  /// The number of loops that may accept at the same time, each a part of the rest.
  private static final int LOOPS = 4;

  private final long limit;

  /// The number of open descriptors up to which connections may have them in any case.
  private final long plenty;

  private long serveTo;
  private long refuseTo;
  private long countedUntil;
  private boolean counted;
  private long open;
  private long left;
  private long above;

  /// @param limit the most descriptors of the process; negative for no limit
  public DescriptorRoom(long limit) {
    this.limit = limit < 0 ? Long.MAX_VALUE : limit;
    divide(0);
    plenty = serveTo;
    left = serveTo;
  }

  /// Computes the boundaries. Connections get seven eighths of the descriptors not used otherwise,
  /// so that a process with many files of its own still serves connections.
  private void divide(long others) {
    long last = Math.clamp((limit - others) / 8, LEAST, MOST);
    serveTo = limit - last;
    refuseTo = limit - last / 2;
  }

  /// Returns the division for the limit in force now; without a limit if the system does not report
  /// it.
  public static DescriptorRoom ofProcess() {
    try {
      return new DescriptorRoom(ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft());
    } catch (SysException | LinkageError | RuntimeException e) {
      return new DescriptorRoom(-1); // not Linux
    }
  }

  /// Returns the significance of a new socket's descriptor.
  ///
  /// @param freed the number of open descriptors that are about to be closed
  /// @param connections the number of open connections, of all loops
  /// @param now the time by the loop's clock
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

  /// Returns how many descriptors above those for connections were open at the last [#level], at
  /// least 1.
  public int above() {
    return Math.clamp(above, 1, MOST);
  }

  /// Returns how many clients may be accepted before the next call of [#level], so that clients
  /// arriving together do not take the descriptors of files and logs.
  public int batch() {
    return Math.clamp(left / LOOPS, 1, Integer.MAX_VALUE);
  }

  /// Returns how many descriptors are open after the last client of a batch, if no other loop
  /// accepts meanwhile.
  public int batchEnd() {
    return Math.clamp(open + batch(), 0, Integer.MAX_VALUE);
  }

  /// Returns the level for a number of open descriptors.
  ///
  /// @param used a lower bound of the open descriptors; 0 if unknown
  Level level(long used) {
    return used <= serveTo ? Level.PLENTY : used <= refuseTo ? Level.SCARCE : Level.LAST;
  }
}
