package sluice.nio.descriptors;

import java.io.IOException;
import java.lang.StackWalker.StackFrame;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.sys.PollFds;

/// The blocking reads and writes of a stream. They wait outside of its descriptor, so that closing
/// and interrupting end them. Stateless: the thread that holds the lock of the direction calls.
public final class BlockingTransfer {
  private static final StackWalker FRAMES = StackWalker.getInstance();

  /// The most stack frames between a stream and this class.
  private static final int NEAR = 16;

  private static final Set<String> STREAMS =
      Set.of("sun.nio.ch.ChannelInputStream", "sun.nio.ch.ChannelOutputStream");

  private BlockingTransfer() {}

  /// A transfer attempt, which does not wait.
  public interface Attempt {
    /// Makes one attempt.
    ///
    /// @return the number of bytes, 0, [ByteMover#EOF] or a negative errno
    long run();
  }

  /// A channel that can block.
  public interface Stream extends SluiceChannel {
    /// Calls `begin` of the channel.
    void beginBlocking();

    /// Calls `end` of the channel.
    void endBlocking(boolean completed) throws AsynchronousCloseException;

    /// Returns the monitor that streams of `java.nio.channels.Channels` hold while they use the
    /// channel; null if a channel has only one such stream.
    default @Nullable Object monitorOfStreams() {
      return null;
    }

    /// Returns the `POLL` bits that report input; 0 if only [ChannelCore.Direction#wake] does.
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

  /// Tries until bytes were read, or no more will come.
  ///
  /// @param nanos negative waits without limit
  /// @return as [Attempt#run]
  /// @throws SocketTimeoutException if the time is over
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

  /// Returns true if a stream of `java.nio.channels.Channels` calls. An application that holds the
  /// monitor itself keeps it.
  private static boolean isOfJdkStream() {
    return FRAMES.walk(
        frames -> frames.limit(NEAR).map(StackFrame::getClassName).anyMatch(STREAMS::contains));
  }

  /// Tries until all bytes were written, or no more can be. A virtual thread, as with the JDK's
  /// channels, tries until some were.
  ///
  /// @param all the number of bytes to be written
  /// @return the number of bytes written, or a negative errno if none were
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
