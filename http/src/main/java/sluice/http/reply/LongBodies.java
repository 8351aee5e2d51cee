package sluice.http.reply;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import sluice.http.log.Log;
import sluice.memory.Account;
import sluice.memory.block.Block;
import sluice.memory.block.Region;
import sluice.sys.SysException;

/// The memory for the bodies of long replies: a memory file, opened for the first of them, from
/// which they are sent without a copy. Any thread may call.
public final class LongBodies implements AutoCloseable {
  /// The least size: below it a copy costs no more, and one send takes head and body.
  static final int LEAST_BYTES = 128 << 10;

  private final String name;
  private final long capacityBytes;
  private @Nullable Region file;
  private boolean closed;

  /// @param name shown in `/proc`
  /// @param capacityBytes the limit for all bodies at one time
  public LongBodies(String name, long capacityBytes) {
    this.name = name;
    this.capacityBytes = capacityBytes;
    this.closed = !System.getProperty("os.name").equals("Linux");
  }

  /// Allocates memory for a body, with one lease.
  ///
  /// @return null if the body is not long, or there is no room: it is then stored like short bodies
  @Nullable Block allocate(Account account, long bytes) {
    Region open = bytes < LEAST_BYTES ? null : open();
    return open == null ? null : open.allocate(account, bytes);
  }

  private synchronized @Nullable Region open() {
    if (file == null && !closed) {
      try {
        file = Region.openMemoryFile(name, capacityBytes);
      } catch (SysException e) {
        closed = true;
        Log.LOGGER.log(
            Level.WARNING,
            () -> "long replies are copied on their way to the socket: " + e.getMessage());
      }
    }
    return file;
  }

  /// Refuses further bodies; the memory is freed with the last one.
  @Override
  public synchronized void close() {
    closed = true;
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
