package sluice.loop.sockets;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;
import sluice.sys.Statx;

/// A reserve of open descriptors. One of them is closed when no other descriptor is free, so that a
/// client can be notified about the shortage. Owned by the engine's thread.
public final class DescriptorReserve {
  /// The size of the reserve. Each descriptor may be occupied by a client that is slow to close its
  /// connection.
  private static final int COUNT = 4;

  private static final byte[] DIRECTORY = "/proc/self/fd".getBytes(StandardCharsets.US_ASCII);

  private final Source source;
  private final @Nullable Closeable[] held = new @Nullable Closeable[COUNT];
  private int count;
  private @Nullable Statx statx;

  /// A source of objects that use one descriptor each.
  public interface Source {
    /// Opens an object.
    ///
    /// @return the object, or null if no descriptor is free
    @Nullable Closeable open();
  }

  public DescriptorReserve(Source source) {
    this.source = source;
  }

  public static DescriptorReserve ofKernel() {
    return new DescriptorReserve(DescriptorReserve::openRoot);
  }

  private static @Nullable Closeable openRoot() {
    int fd = Files.openat(Files.AT_FDCWD, "/", Files.O_PATH | Files.O_DIRECTORY, 0);
    return fd < 0 ? null : () -> Files.close(fd);
  }

  /// Returns the number of open descriptors. This is the size of their directory since Linux 6.2,
  /// and a lower bound derived from the number of a new descriptor on older kernels.
  public int used() {
    Statx status = statx == null ? new Statx() : statx;
    statx = status;
    int result = Files.statx(Files.AT_FDCWD, DIRECTORY, 0, Statx.STATX_SIZE, status);
    if (result == 0 && status.size() > 0) {
      return (int) Math.min(status.size(), Integer.MAX_VALUE);
    }
    int fd = Files.openat(Files.AT_FDCWD, "/", Files.O_PATH | Files.O_DIRECTORY, 0);
    if (fd < 0) {
      return Integer.MAX_VALUE;
    }
    Files.close(fd);
    return fd + 1;
  }

  /// Fills the reserve.
  ///
  /// @return true if the reserve is now full
  public boolean fill() {
    while (count < COUNT) {
      Closeable opened = source.open();
      if (opened == null) {
        return false;
      }
      held[count++] = opened;
    }
    return true;
  }

  /// Closes one descriptor of the reserve.
  ///
  /// @return false if the reserve was empty
  public boolean free() {
    if (count == 0) {
      return false;
    }
    Closeable last = held[--count];
    held[count] = null;
    try {
      if (last != null) {
        last.close();
      }
    } catch (IOException e) {
      return false; // it was closed in any case, and the next accept tells
    }
    return true;
  }

  public void close() {
    while (free()) {
      // until none is held
    }
  }
}
