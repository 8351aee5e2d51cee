package sluice.loop.poller;

import static sluice.sys.Errno.ENOENT;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import sluice.loop.engine.Backend;
import sluice.sys.SysException;

/// The Poller class of 1999 on top of [Poller], so that code written for it can be ported by
/// renaming. Entries are identified by their descriptor, as in `poll(2)`. The threading rules of
/// [Poller] apply. Unlike in the original class, adding and removing do not wait for a thread in
/// [#waitMultiple].
///
/// The watched objects are sockets or channels. The JVM flags required for this are listed in
/// docs/poller.md, and in the error message if they are missing.
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

  /// @param maxEntries the maximum number of objects, such as 65535
  public PollerFacade(int maxEntries) throws IOException {
    this(Poller.open(maxEntries, Backend.AUTO));
  }

  /// @param poller the underlying poller, which is closed by [#close]
  public PollerFacade(Poller poller) {
    this.poller = poller;
  }

  /// Returns the underlying poller.
  public Poller poller() {
    return poller;
  }

  /// Adds a `Socket`, `ServerSocket`, `DatagramSocket` or channel.
  ///
  /// @param wanted the requested `POLL` bits
  /// @return the descriptor, which identifies the object in events
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

  /// Removes a descriptor.
  ///
  /// @throws SysException ENOENT if it was never added
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

  /// Returns true if a descriptor has been added and not removed.
  public boolean isMember(int fd) {
    return poller.handleOf(fd) != 0;
  }

  /// Returns true if an open socket or channel has been added and not removed.
  public boolean isMember(Object socketOrChannel) throws IOException {
    return isMember(PollerDescriptors.of(socketOrChannel));
  }

  /// Waits until an entry is ready.
  ///
  /// @param max the maximum number of events to report, 1 to the length of both arrays
  /// @param fds receives the descriptors
  /// @param revents receives their `POLL` bits
  /// @param timeoutMillis the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit
  /// @return the number of events reported
  /// @throws IllegalStateException if another thread is waiting, or the poller is closed
  public int waitMultiple(int max, int[] fds, short[] revents, long timeoutMillis) {
    PollerEvents own = roomFor(max, fds, revents, events); // not another thread's, which is refused
    events = own;
    int count = poller.await(own, max, nanos(timeoutMillis));
    return copy(own, count, fds, revents);
  }

  /// Returns the events object for a wait.
  ///
  /// @param present the existing object, which is returned if it is large enough
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

  /// Ends the current or the next [#waitMultiple]. The original class had no such method.
  public void wakeup() {
    poller.wakeup();
  }

  @Override
  public void close() {
    poller.close();
  }
}
