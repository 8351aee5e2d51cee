package sluice.loop.poller;

import static sluice.sys.Errno.ENOENT;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import sluice.loop.engine.Backend;
import sluice.sys.SysException;

/// The Poller class of 1999 on [Poller]: code written for it ports by renaming. Entries are named
/// by their descriptor, as `poll(2)` does. Threads as for [Poller]: unlike the original, adding and
/// removing do not wait for a thread in [#waitMultiple].
///
/// Objects given to it are sockets or channels; which flags of the JVM that needs says the error
/// that comes without them, and the page docs/poller.md.
public final class PollerFacade implements AutoCloseable {
  public static final short POLLIN = Poller.IN;
  public static final short POLLPRI = Poller.PRI;
  public static final short POLLOUT = Poller.OUT;
  public static final short POLLERR = Poller.ERR;
  public static final short POLLHUP = Poller.HUP;
  public static final short POLLNVAL = Poller.NVAL;
  public static final short POLLRDNORM = Poller.RDNORM;
  public static final short POLLRDBAND = Poller.RDBAND;
  public static final short POLLWRNORM = Poller.WRNORM;
  public static final short POLLWRBAND = Poller.WRBAND;
  public static final short POLLMSG = Poller.MSG;
  public static final short POLLRDHUP = Poller.RDHUP;

  private final Poller poller;
  private PollerEvents events = new PollerEvents(16);

  /// @param maxEntries most objects, such as 65535
  public PollerFacade(int maxEntries) throws IOException {
    this(Poller.open(maxEntries, Backend.AUTO));
  }

  /// @param poller closed by [#close]
  public PollerFacade(Poller poller) {
    this.poller = poller;
  }

  /// The poller behind it.
  public Poller poller() {
    return poller;
  }

  /// Adds a `Socket`, `ServerSocket`, `DatagramSocket` or channel.
  ///
  /// @param wanted `POLL` bits
  /// @return its descriptor, by which events name it
  public int add(Object socketOrChannel, int wanted) throws IOException {
    return add(PollerDescriptors.of(socketOrChannel), wanted);
  }

  /// Adds a descriptor.
  ///
  /// @return `fd`
  public int add(int fd, int wanted) throws SysException {
    poller.add(fd, wanted);
    return fd;
  }

  /// Removes what was added.
  ///
  /// @throws SysException ENOENT when it was never added
  public void remove(int fd) throws SysException {
    long handle = poller.handleOf(fd);
    if (handle == 0) {
      throw SysException.of(ENOENT, "Poller.remove", fd);
    }
    poller.remove(handle);
  }

  /// Removes a socket or channel that is still open.
  public void remove(Object socketOrChannel) throws IOException {
    remove(PollerDescriptors.of(socketOrChannel));
  }

  /// Whether a descriptor was added and not removed.
  public boolean isMember(int fd) {
    return poller.handleOf(fd) != 0;
  }

  /// Whether an open socket or channel was added and not removed.
  public boolean isMember(Object socketOrChannel) throws IOException {
    return isMember(PollerDescriptors.of(socketOrChannel));
  }

  /// Waits until something is ready.
  ///
  /// @param max most events to report, 1 to the length of both arrays
  /// @param fds gets the descriptors
  /// @param revents gets their `POLL` bits
  /// @param timeoutMillis 0 does not wait, negative waits without limit
  /// @return events reported
  /// @throws IllegalStateException when another thread waits, or it is closed
  public int waitMultiple(int max, int[] fds, short[] revents, long timeoutMillis) {
    PollerEvents own = roomFor(max, fds, revents, events); // not another thread's, which is refused
    events = own;
    int count = poller.await(own, max, nanos(timeoutMillis));
    return copy(own, count, fds, revents);
  }

  /// Where a wait reports to.
  ///
  /// @param present taken if it is large enough
  static PollerEvents roomFor(int max, int[] fds, short[] revents, PollerEvents present) {
    if (max > Math.min(fds.length, revents.length)) {
      throw new IllegalArgumentException("both arrays must have room for max events: " + max);
    }
    return present.capacity() < max ? new PollerEvents(max) : present;
  }

  static int copy(PollerEvents from, int count, int[] fds, short[] revents) {
    for (int i = 0; i < count; i++) {
      fds[i] = from.descriptor(i);
      revents[i] = (short) from.events(i);
    }
    return count;
  }

  static long nanos(long timeoutMillis) {
    return timeoutMillis < 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /// Ends the current or the next [#waitMultiple], which the original could not.
  public void wakeup() {
    poller.wakeup();
  }

  @Override
  public void close() {
    poller.close();
  }
}
