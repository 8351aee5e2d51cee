package sluice.loop.poller;

import static sluice.sys.Errno.EINVAL;
import static sluice.sys.Errno.ENOENT;

import java.io.IOException;
import sluice.loop.engine.Backend;

/// An implementation of the pollset interface of AIX on top of [Poller]. It provides create,
/// destroy, ctl, poll and query, and uses arrays of changes. The threading rules of [Poller] apply.
public final class PollSet {
  /// The command that adds a descriptor.
  public static final short PS_ADD = 0;

  /// The command that adds events to those of a descriptor. To remove events, delete the descriptor
  /// and add it again.
  public static final short PS_MOD = 1;

  /// The command that removes a descriptor.
  public static final short PS_DELETE = 2;

  /// A change, `struct poll_ctl`.
  ///
  /// @param command `PS_ADD`, `PS_MOD` or `PS_DELETE`
  /// @param events the `poll(2)` bits
  /// @param fd the descriptor
  public record Change(short command, short events, int fd) {}

  private final Poller poller;
  private PollerEvents events = new PollerEvents(16);

  private PollSet(Poller poller) {
    this.poller = poller;
  }

  /// Creates a pollset, as `pollset_create` does.
  ///
  /// @param maxfd the maximum number of descriptors
  public static PollSet create(int maxfd) throws IOException {
    return on(Poller.open(maxfd, Backend.AUTO));
  }

  /// Returns a pollset on the given poller, which is closed by [#destroy].
  public static PollSet on(Poller poller) {
    return new PollSet(poller);
  }

  /// Destroys the pollset, as `pollset_destroy` does.
  public void destroy() {
    poller.close();
  }

  /// Applies changes in order until one of them fails, as `pollset_ctl` does.
  ///
  /// @param length the number of changes to apply
  /// @return 0 if all changes were applied; n > 0 if n changes were applied and the next one
  ///   failed; a negative errno if the first change failed
  public int ctl(Change[] changes, int length) {
    PollerChanges one = new PollerChanges();
    for (int i = 0; i < length; i++) {
      int result = apply(changes[i], one.clear());
      if (result < 0) {
        return i == 0 ? result : i;
      }
    }
    return 0;
  }

  private int apply(Change change, PollerChanges one) {
    long handle = poller.handleOf(change.fd());
    switch (change.command()) {
      case PS_ADD -> one.add(change.fd(), change.events());
      case PS_MOD -> one.modify(handle, change.events() | poller.wanted(handle));
      case PS_DELETE -> one.remove(handle);
      default -> {
        return -EINVAL;
      }
    }
    poller.control(one);
    return (int) Math.min(0, one.result(0));
  }

  /// Waits until a descriptor is ready, as `pollset_poll` does.
  ///
  /// @param fds receives the descriptors; the arrays correspond to the columns of `struct pollfd`
  /// @param revents receives the events that are ready
  /// @param length the maximum number of events to report, 1 to the length of both arrays
  /// @param timeoutMillis the maximum time to wait; 0 does not wait, and a negative value waits
  ///   without limit
  /// @return the number of events reported
  /// @throws IllegalStateException if another thread polls, or the pollset has been destroyed
  public int poll(int[] fds, short[] revents, int length, int timeoutMillis) {
    PollerEvents own = PollerFacade.roomFor(length, fds, revents, events); // as there
    events = own;
    int count = poller.await(own, length, PollerFacade.nanos(timeoutMillis));
    return PollerFacade.copy(own, count, fds, revents);
  }

  /// Returns the events for which a descriptor is watched, as `pollset_query` does.
  ///
  /// @return the `poll(2)` bits, or -ENOENT
  public int query(int fd) {
    long handle = poller.handleOf(fd);
    return handle == 0 ? -ENOENT : poller.wanted(handle);
  }
}
