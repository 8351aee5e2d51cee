package sluice.loop.poller;

import static sluice.sys.Errno.EINVAL;
import static sluice.sys.Errno.ENOENT;

import java.io.IOException;
import sluice.loop.engine.Backend;

/// The pollset interface of AIX on [Poller]: create, destroy, ctl, poll and query, with its array
/// of changes. Threads as for [Poller].
public final class PollSet {
  /// Adds a descriptor.
  public static final short PS_ADD = 0;

  /// Adds events to those of a descriptor. To take some away, delete it and add it again.
  public static final short PS_MOD = 1;

  /// Removes a descriptor.
  public static final short PS_DELETE = 2;

  /// One change, `struct poll_ctl`.
  ///
  /// @param command `PS_ADD`, `PS_MOD` or `PS_DELETE`
  /// @param events `poll(2)` bits
  /// @param fd the descriptor
  public record Change(short command, short events, int fd) {}

  private final Poller poller;
  private PollerEvents events = new PollerEvents(16);

  private PollSet(Poller poller) {
    this.poller = poller;
  }

  /// `pollset_create`.
  ///
  /// @param maxfd most descriptors
  public static PollSet create(int maxfd) throws IOException {
    return on(Poller.open(maxfd, Backend.AUTO));
  }

  /// A pollset on a given poller, which [#destroy] closes.
  public static PollSet on(Poller poller) {
    return new PollSet(poller);
  }

  /// `pollset_destroy`.
  public void destroy() {
    poller.close();
  }

  /// `pollset_ctl`: applies changes in order, up to the first that fails.
  ///
  /// @param length how many of the array
  /// @return 0 when all were applied; n > 0 when n were and the next one failed; a negative errno
  ///   when the first failed
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

  /// `pollset_poll`: waits until something is ready.
  ///
  /// @param fds gets the descriptors, `struct pollfd` by columns
  /// @param revents gets what is ready
  /// @param length most to report, 1 to the length of both arrays
  /// @param timeoutMillis 0 does not wait, negative waits without limit
  /// @return events reported
  /// @throws IllegalStateException when another thread polls, or it is destroyed
  public int poll(int[] fds, short[] revents, int length, int timeoutMillis) {
    PollerEvents own = PollerFacade.roomFor(length, fds, revents, events); // as there
    events = own;
    int count = poller.await(own, length, PollerFacade.nanos(timeoutMillis));
    return PollerFacade.copy(own, count, fds, revents);
  }

  /// `pollset_query`: what a descriptor waits for.
  ///
  /// @return its `poll(2)` bits, or -ENOENT
  public int query(int fd) {
    long handle = poller.handleOf(fd);
    return handle == 0 ? -ENOENT : poller.wanted(handle);
  }
}
