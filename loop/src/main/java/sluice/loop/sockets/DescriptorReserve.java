package sluice.loop.sockets;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import sluice.sys.Files;
import sluice.sys.Statx;

/// A reserve of open descriptors. One is freed when no other is left, so that a client can be told
/// about the shortage. Owned by the engine's thread.
public final class DescriptorReserve {
  /// The size of the reserve. Each descriptor may be held by a client that is slow to end its
  /// connection.
  private static final int COUNT = 4;

  private static final byte[] DIRECTORY = "/proc/self/fd".getBytes(StandardCharsets.US_ASCII);

  private final Source source;
  private final @Nullable Closeable[] held = new @Nullable Closeable[COUNT];
  private int count;
  private @Nullable Statx statx;

  /// A source of objects that take one descriptor each.
  public interface Source {
    /// Opens an object.
    ///
    /// @return null if no descriptor is left
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

  /// Returns the number of open descriptors: the size of their directory, since Linux 6.2; on older
  /// kernels a lower bound from the number of a new one.
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
  /// @return true if it is full now
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
  /// @return false if it was empty
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
