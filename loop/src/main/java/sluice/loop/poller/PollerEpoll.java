package sluice.loop.poller;

import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EEXIST;
import static sluice.sys.Errno.EINTR;
import static sluice.sys.Errno.ENOENT;

import java.util.Arrays;
import sluice.sys.Epoll;
import sluice.sys.EpollEvents;
import sluice.sys.EventFd;
import sluice.sys.SysException;

/// A poller's entries in `epoll(7)`. Threads and locks as [PollerKernel] says.
///
/// Adding and removing tell the kernel at once: its answer is the check of the descriptor, and a
/// number may be closed as soon as it is removed. Interest is lazy: an entry that was disabled
/// stays armed until it fires, and what toggles back before costs no call; other changes are put
/// off to the next wait, where those of one entry are one call. While a thread waits, a change is
/// told to the kernel by the thread that makes it, which is cheaper than waking the waiting one.
///
/// Auto-disabled entries are armed one-shot. The wake-up counter is edge-triggered and never read.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `armed`, `orphans`, `epoll` | any thread | locked; `epoll` by the awaiting thread plain | locked |
/// | `events`, `found` | the awaiting thread | plain | plain |
final class PollerEpoll extends PollerKernel {
  private static final int LARGEST_WAIT = 4096;
  private static final long WAKE = -1;

  private final EventFd counter;
  private Epoll epoll;
  private EpollEvents events = new EpollEvents(64);
  private int found;

  /// The `EPOLL` bits that the kernel has for each slot; 0 when it has fired one-shot.
  private int[] armed = new int[64];

  /// Whether the kernel may hold registrations that cannot be removed any more, because their
  /// number was closed while the file lives on in a duplicate or another process.
  private boolean orphans;

  private long calls;

  PollerEpoll(PollerTable table) throws SysException {
    super(table);
    counter = EventFd.open(true);
    try {
      epoll = create(counter);
    } catch (SysException e) {
      counter.close();
      throw e;
    }
  }

  /// An epoll descriptor that the counter wakes.
  private static Epoll create(EventFd counter) throws SysException {
    Epoll created = Epoll.create();
    int bits = Epoll.EPOLLIN | Epoll.EPOLLET;
    int result = created.control(Epoll.EPOLL_CTL_ADD, counter.fd(), bits, WAKE);
    if (result < 0) {
      created.close();
      throw SysException.of(-result, "epoll_ctl", "EPOLL_CTL_ADD", counter.fd());
    }
    return created;
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
    return arm(Epoll.EPOLL_CTL_ADD, slot);
  }

  @Override
  void removed(int slot) {
    calls++;
    int result = epoll.control(Epoll.EPOLL_CTL_DEL, table.descriptor(slot), 0, table.handle(slot));
    orphans |= result < 0;
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
      arm(Epoll.EPOLL_CTL_MOD, slot);
    }
  }

  /// The bits that stand for the entry's interest. One-shot without events is never reported,
  /// except that an error or a hang-up ends it.
  private int bits(int slot) {
    int interest = table.interest(slot);
    return interest == 0 || table.isAuto(slot) ? interest | Epoll.EPOLLONESHOT : interest;
  }

  private int arm(int operation, int slot) {
    calls++;
    int fd = table.descriptor(slot);
    int bits = bits(slot);
    int result = epoll.control(operation, fd, bits, table.handle(slot));
    if (result == -EEXIST) { // the kernel kept it for a duplicate of an earlier descriptor
      result = epoll.control(Epoll.EPOLL_CTL_MOD, fd, bits, table.handle(slot));
    }
    if (result == -ENOENT || (result == -EBADF && operation == Epoll.EPOLL_CTL_MOD)) {
      table.die(slot);
    }
    armed[slot] = result < 0 ? 0 : bits;
    return result;
  }

  @Override
  void await(int max, long timeoutNanos) {
    int limit = Math.min(max, LARGEST_WAIT);
    if (limit > events.capacity()) {
      events = new EpollEvents(limit);
    }
    calls++;
    // exactly as many as can be reported: the kernel puts those it has told at the end of its list
    found = epoll.await(events, limit, timeoutNanos);
    if (found < 0) {
      if (found != -EINTR) {
        throw new IllegalStateException(
            SysException.of(-found, "epoll_pwait2", epoll.fd(), limit, timeoutNanos));
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
        stale |= handle != WAKE;
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

  /// Something was reported that is not wanted now: an entry that was disabled while armed.
  private void unwanted(int slot) {
    if (table.interest(slot) != 0) {
      table.mark(slot);
    } else if (armed[slot] != 0) {
      arm(Epoll.EPOLL_CTL_MOD, slot);
      armed[slot] = 0;
    }
  }

  /// Leaves registrations behind that would be reported for ever and cannot be removed.
  private void startAnew() {
    Epoll old = epoll;
    try {
      epoll = create(counter);
    } catch (SysException e) {
      return; // no descriptor left: it stays as it is, and is tried again
    }
    old.close();
    orphans = false;
    for (int slot = 0; slot < table.high(); slot++) {
      if (table.handle(slot) != 0 && arm(Epoll.EPOLL_CTL_ADD, slot) < 0) {
        table.die(slot);
      }
    }
  }

  @Override
  void wake() {
    counter.signal();
  }

  @Override
  long calls() {
    return calls;
  }

  @Override
  public void close() {
    epoll.close();
    counter.close();
  }
}
