package sluice.loop.poller;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EINTR;
import static sluice.sys.Errno.ENOENT;

import java.util.Arrays;
import sluice.sys.Epoll;
import sluice.sys.EpollDriver;
import sluice.sys.EpollEvents;
import sluice.sys.SysException;

/// A [PollerKernel] based on `epoll(7)`. The threading and locking rules of [PollerKernel] apply.
///
/// Additions and removals are passed to the kernel immediately, because its answer validates the
/// descriptor, and because a descriptor may be closed as soon as it has been removed. Changes of
/// interest are lazy: a disabled entry stays armed until it fires, and a change that is reverted
/// before then costs no call. Other changes are deferred to the next wait, in which all changes of
/// one entry are a single call. If a thread is waiting, the changing thread passes the change to
/// the kernel itself, which is cheaper than waking the waiting thread.
///
/// Auto-disabled entries are armed one-shot.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `armed`, `orphans`, the set of `epoll` | any thread | locked; the set by the awaiting thread plain | locked |
/// | `events`, `found` | the awaiting thread | plain | plain |
final class PollerEpoll extends PollerKernel {
  private static final int LARGEST_WAIT = 4096;

  private final EpollDriver epoll;
  private EpollEvents events = new EpollEvents(64);
  private int found;

  /// The `EPOLL` bits armed in the kernel for each slot, or 0 after a one-shot has fired.
  private int[] armed = new int[64];

  /// True if the kernel may hold registrations that can no longer be removed, because their
  /// descriptor was closed while the file is still open in a duplicate or another process.
  private boolean orphans;

  private long waits;

  PollerEpoll(PollerTable table) throws SysException {
    super(table);
    epoll = EpollDriver.open();
  }

  @Override
  String name() {
    return "epoll";
  }

  @Override
  int check(int fd) {
    return fd < 0 ? -EBADF : 0; // the rest is the kernel's answer to the addition
  }

  @Override
  int added(int slot) {
    if (slot >= armed.length) {
      armed = Arrays.copyOf(armed, table.capacity());
    }
    armed[slot] = 0;
    return told(slot, epoll.add(table.descriptor(slot), bits(slot), table.handle(slot)));
  }

  @Override
  void removed(int slot) {
    orphans |= epoll.remove(table.descriptor(slot)) < 0;
  }

  @Override
  void changed(int slot, boolean waiting) {
    if (waiting) {
      apply(slot);
    } else {
      table.mark(slot);
    }
  }

  @Override
  boolean interrupts() {
    return false;
  }

  @Override
  void prepare() {
    int slot;
    for (int i = 0; (slot = table.changed(i)) >= 0; i++) {
      if (table.handle(slot) != 0) {
        apply(slot);
      }
    }
  }

  private void apply(int slot) {
    if (table.interest(slot) != 0 && bits(slot) != armed[slot]) {
      change(slot);
    }
  }

  /// Returns the bits for the entry's interest. A one-shot entry without events is never reported,
  /// but an error or a hang-up ends it.
  private int bits(int slot) {
    int interest = table.interest(slot);
    return interest == 0 || table.isAuto(slot) ? interest | Epoll.EPOLLONESHOT : interest;
  }

  private void change(int slot) {
    int result = told(slot, epoll.change(table.descriptor(slot), bits(slot), table.handle(slot)));
    if (result == -EBADF) {
      table.die(slot);
    }
  }

  /// Records the kernel's response to a change of the entry's bits.
  private int told(int slot, int result) {
    if (result == -ENOENT) { // not added anew: its number belongs to another file by now
      table.die(slot);
    }
    armed[slot] = result < 0 ? 0 : bits(slot);
    return result;
  }

  @Override
  void await(int max, long timeoutNanos) {
    int limit = Math.min(max, LARGEST_WAIT);
    if (limit > events.capacity()) {
      events = new EpollEvents(limit);
    }
    waits++;
    // The limit is the exact number of events that can be reported, because the kernel moves
    // reported entries to the end of its list.
    found = epoll.epoll().await(events, limit, timeoutNanos);
    if (found < 0) {
      if (found != -EINTR) {
        throw new IllegalStateException(
            SysException.of(-found, "epoll_pwait2", epoll.epoll().fd(), limit, timeoutNanos));
      }
      found = 0;
    }
  }

  @Override
  void collect(PollerEvents into, int max) {
    boolean stale = false;
    for (int i = 0; i < found; i++) {
      long handle = events.data(i);
      int slot = table.slot(handle);
      if (slot < 0) {
        stale |= handle != EpollDriver.WAKE;
        continue;
      }
      if ((armed[slot] & Epoll.EPOLLONESHOT) != 0) {
        armed[slot] = 0;
      }
      if (!table.report(slot, events.events(i), into)) {
        unwanted(slot);
      }
    }
    found = 0;
    if (stale && orphans) {
      startAnew();
    }
  }

  /// Handles an unwanted report of an entry that was disabled while it was armed.
  private void unwanted(int slot) {
    if (table.interest(slot) != 0) {
      table.mark(slot);
    } else if (armed[slot] != 0) {
      change(slot);
      armed[slot] = 0;
    }
  }

  /// Replaces the epoll instance in order to drop registrations that would be reported forever and
  /// cannot be removed.
  private void startAnew() {
    try {
      epoll.renew();
    } catch (SysException e) {
      return; // no descriptor left: it stays as it is, and is tried again
    }
    orphans = false;
    for (int slot = 0; slot < table.high(); slot++) {
      if (table.handle(slot) != 0 && added(slot) < 0) {
        table.die(slot);
      }
    }
  }

  @Override
  void wake() {
    epoll.wake();
  }

  @Override
  long calls() {
    return waits + epoll.controls();
  }

  @Override
  public void close() {
    epoll.close();
  }
}
