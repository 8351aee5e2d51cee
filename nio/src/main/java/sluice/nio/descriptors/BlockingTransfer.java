package sluice.nio.descriptors;

import java.io.IOException;
import java.lang.StackWalker.StackFrame;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.sys.PollFds;

/// The blocking reads and writes of a stream. They never block in a call that transfers bytes, so
/// that they can be terminated by closing the channel or interrupting the thread. Stateless. The
/// methods are called by the thread that holds the lock of the direction.
public final class BlockingTransfer {
  private static final StackWalker FRAMES = StackWalker.getInstance();

  /// The maximum number of stack frames between a stream and this class.
  private static final int NEAR = 16;

  private static final Set<String> STREAMS =
      Set.of("sun.nio.ch.ChannelInputStream", "sun.nio.ch.ChannelOutputStream");

  private BlockingTransfer() {}

  /// A single transfer attempt that does not block.
  public interface Attempt {
    /// Makes one attempt.
    ///
    /// @return the number of bytes transferred, 0 if none could be transferred, [ByteMover#EOF], or
    ///   a negative errno
    long run();
  }

  /// A channel that supports blocking transfers.
  public interface Stream extends SluiceChannel {
    /// Invokes the `begin` method of the channel.
    void beginBlocking();

    /// Invokes the `end` method of the channel.
    void endBlocking(boolean completed) throws AsynchronousCloseException;

    /// Returns the monitor that the streams of `java.nio.channels.Channels` hold while they use the
    /// channel, or null if the channel has only one such stream.
    default @Nullable Object monitorOfStreams() {
      return null;
    }

    /// Returns the `POLL` bits that indicate input, or 0 if input is only indicated by
    /// [ChannelCore.Direction#wake].
    default int inputEvents() {
      return PollFds.POLLIN;
    }

    default boolean isInputOpen() {
      return true;
    }

    default boolean isOutputOpen() {
      return true;
    }
  }

  /// Repeats an attempt until bytes have been read or no more bytes can arrive.
  ///
  /// @param nanos the timeout, or a negative number to wait indefinitely
  /// @return the result as defined by [Attempt#run]
  /// @throws SocketTimeoutException if the timeout expires
  public static long read(Stream channel, long nanos, Attempt attempt) throws IOException {
    ChannelCore core = channel.core();
    long deadline = System.nanoTime() + nanos;
    long n = 0;
    channel.beginBlocking();
    try {
      core.enterBlocking();
      try {
        n = attempt.run();
        while (NetErrors.again(n) && channel.isOpen() && channel.isInputOpen()) {
          long left = nanos < 0 ? -1 : deadline - System.nanoTime();
          if (nanos >= 0 && left <= 0) {
            throw new SocketTimeoutException("Read timed out");
          }
          await(channel, core.reads, channel.inputEvents(), left);
          n = channel.isOpen() ? attempt.run() : n;
        }
      } finally {
        core.leaveBlocking();
      }
    } finally {
      channel.endBlocking(n > 0);
    }
    return n;
  }

  private static void await(Stream channel, ChannelCore.Direction direction, int events, long nanos)
      throws IOException {
    Object monitor = channel.monitorOfStreams();
    if (monitor != null && nanos < 0 && Thread.holdsLock(monitor) && isOfJdkStream()) {
      direction.awaitWithoutMonitor(events, monitor);
    } else {
      direction.await(events, nanos);
    }
  }

  /// Returns true if the caller is a stream of `java.nio.channels.Channels`. Only such a stream's
  /// monitor may be released while waiting, whereas an application that locked the monitor itself
  /// keeps it.
  private static boolean isOfJdkStream() {
    return FRAMES.walk(
        frames -> frames.limit(NEAR).map(StackFrame::getClassName).anyMatch(STREAMS::contains));
  }

  /// Repeats an attempt until all bytes have been written or no more bytes can be written. On a
  /// virtual thread, as with the JDK's channels, it returns as soon as some bytes have been
  /// written.
  ///
  /// @param all the number of bytes to write
  /// @return the number of bytes written, or a negative errno if none were written
  public static long write(Stream channel, long all, Attempt attempt) throws IOException {
    ChannelCore core = channel.core();
    long enough = Thread.currentThread().isVirtual() ? Math.min(all, 1) : all;
    long total = 0;
    long n = 0;
    channel.beginBlocking();
    try {
      core.enterBlocking();
      try {
        do {
          n = attempt.run();
          total += Math.max(0, n);
          if (NetErrors.again(n)) {
            await(channel, core.writes, PollFds.POLLOUT, -1);
          }
        } while ((NetErrors.again(n) || n > 0)
            && total < enough
            && channel.isOpen()
            && channel.isOutputOpen());
      } finally {
        core.leaveBlocking();
      }
    } finally {
      channel.endBlocking(total > 0 || n == 0);
    }
    return total > 0 ? total : n;
  }
}
