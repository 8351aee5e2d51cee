package sluice.loop.sockets;

import sluice.loop.engine.KernelTransport;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;

/// The partition of this process's descriptors. Connections may use the descriptors below a
/// boundary. The last ones, which are an eighth of those not used otherwise but from 8 to 256, are
/// reserved for files, logs, and clients that are notified of their refusal.
///
/// The kernel assigns the lowest free number, so the number of a new descriptor is a lower bound on
/// the number of open ones that requires no system call. After a number above the boundary has been
/// seen, the open descriptors are counted for each connection for some seconds, because new numbers
/// fill gaps below the boundary. Owned by the loop's thread.
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

    /// Its client can be notified that it is refused. The client may only stay if an idle
    /// connection is closed.
    SCARCE,

    /// The descriptor is reserved for files and logs.
    LAST
  }

  private static final long COUNTED_NANOS = 10_000_000_000L;

  /// The number of loops that may accept at the same time, each using a part of the remaining
  /// descriptors.
  private static final int LOOPS = 4;

  private final long limit;

  /// The number of open descriptors up to which connections may always use them.
  private final long plenty;

  private long serveTo;
  private long refuseTo;
  private long countedUntil;
  private boolean counted;
  private long open;
  private long left;
  private long above;

  /// @param limit the maximum number of descriptors of the process, or a negative value for no
  ///   limit
  public DescriptorRoom(long limit) {
    this.limit = limit < 0 ? Long.MAX_VALUE : limit;
    divide(0);
    plenty = serveTo;
    left = serveTo;
  }

  /// Computes the boundaries. Connections may use seven eighths of the descriptors that are not
  /// used otherwise, so that a process with many files still serves connections.
  private void divide(long others) {
    long last = Math.clamp((limit - others) / 8, LEAST, MOST);
    serveTo = limit - last;
    refuseTo = limit - last / 2;
  }

  /// Returns the partition for the current limit, or without a limit if the system does not report
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

  /// Returns the number of open descriptors above the boundary for connections at the last
  /// [#level], which is at least 1.
  public int above() {
    return Math.clamp(above, 1, MOST);
  }

  /// Returns the number of clients that may be accepted before the next call of [#level], so that
  /// clients that arrive together do not use the descriptors of files and logs.
  public int batch() {
    return Math.clamp(left / LOOPS, 1, Integer.MAX_VALUE);
  }

  /// Returns the number of descriptors that are open after the last client of a batch, if no other
  /// loop accepts in the meantime.
  public int batchEnd() {
    return Math.clamp(open + batch(), 0, Integer.MAX_VALUE);
  }

  /// Returns the level for a number of open descriptors.
  ///
  /// @param used a lower bound on the number of open descriptors, or 0 if unknown
  Level level(long used) {
    return used <= serveTo ? Level.PLENTY : used <= refuseTo ? Level.SCARCE : Level.LAST;
  }
}
