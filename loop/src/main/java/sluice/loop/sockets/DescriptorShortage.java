package sluice.loop.sockets;

import java.lang.System.Logger.Level;
import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.sys.Errno;
import sluice.sys.ResourceLimit;
import sluice.sys.SysException;

/// Records when this process or machine runs out of descriptors (`EMFILE`, `ENFILE`), and warns
/// about it. An episode ends when no operation has failed for ten seconds. There is one warning per
/// episode, and at most one per minute.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | count | any thread | volatile | getAndIncrement |
/// | latestErrno | any thread | volatile | volatile |
/// | the rest | holder of `this` | under lock | under lock |
public final class DescriptorShortage {
  static final long EPISODE_END_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long WARNING_NANOS = TimeUnit.SECONDS.toNanos(60);

  /// The instructions for raising the limit.
  public static final String FIX =
      "for example to 1048576: 'ulimit -n 1048576' in the shell that starts it,"
          + " LimitNOFILE=1048576 in its systemd unit, or --ulimit nofile=1048576 of the container";

  public static final DescriptorShortage OF_PROCESS = new DescriptorShortage();

  private final AtomicLong count = new AtomicLong();
  private volatile int latestErrno;
  private long seen;
  private long seenNanos;
  private boolean everSeen;
  private long warnedNanos;
  private boolean everWarned;
  private boolean unsaid;

  DescriptorShortage() {}

  /// Records that opening or accepting has failed. Other errors are ignored. Any thread may call.
  public static void report(int errno) {
    if (errno == Errno.EMFILE || errno == Errno.ENFILE) {
      OF_PROCESS.noted(errno);
    }
  }

  void noted(int errno) {
    latestErrno = errno;
    count.getAndIncrement();
  }

  /// Returns the number of times that a descriptor was unavailable since the start.
  public long count() {
    return count.get();
  }

  /// Loads all classes and data required for a warning while descriptors are available, because the
  /// logger reads its configuration, and dates require time zone data.
  public static void prepare() {
    if (Log.LOGGER.isLoggable(Level.WARNING)) {
      var _ = ZoneId.systemDefault().getRules();
    }
  }

  /// Logs a warning if required. Called from time to time by any thread.
  public void warn(long nowNanos) {
    String text = warning(nowNanos);
    if (text != null) {
      Log.LOGGER.log(Level.WARNING, text);
    }
  }

  /// Returns the warning for an episode for which there has not been a warning.
  ///
  /// @return the warning, or null if none is required
  synchronized @Nullable String warning(long nowNanos) {
    long now = count.get();
    if (now != seen) {
      unsaid |= !everSeen || nowNanos - seenNanos > EPISODE_END_NANOS;
      seen = now;
      seenNanos = nowNanos;
      everSeen = true;
    }
    if (!unsaid || (everWarned && nowNanos - warnedNanos < WARNING_NANOS)) {
      return null;
    }
    unsaid = false;
    everWarned = true;
    warnedNanos = nowNanos;
    return text(latestErrno);
  }

  private static String text(int errno) {
    String answered =
        " Until some are closed, idle HTTP connections are closed for new ones; other new clients"
            + " are refused, over HTTP by 503, and so are requests for files that are not in"
            + " memory.";
    if (errno == Errno.ENFILE) {
      return "out of file descriptors: the machine has no open files left (fs.file-max)."
          + answered
          + " Fix: sysctl -w fs.file-max=N with a larger number.";
    }
    return "out of file descriptors: this process may have "
        + limit()
        + " open (RLIMIT_NOFILE)."
        + answered
        + " Fix: raise the limit, "
        + FIX
        + ".";
  }

  /// Returns the limit of this process as text.
  public static String limit() {
    try {
      return Long.toUnsignedString(ResourceLimit.of(ResourceLimit.RLIMIT_NOFILE).soft());
    } catch (SysException | LinkageError | RuntimeException e) {
      return "no more"; // not Linux
    }
  }
}
