package sluice.loop.poller;

import static sluice.sys.Errno.EINTR;

import java.util.Arrays;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.sys.SysException;

/// A [PollerKernel] based on the array of `poll(2)`. The threading and locking rules of
/// [PollerKernel] apply.
///
/// An entry's index in the array is its slot. A disabled or removed entry has no descriptor there,
/// so the kernel skips it. Changes are applied to the array before the next wait. The cost of a
/// wait is proportional to the number of entries. Index 0 is the wake-up counter.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | all but `files` | the awaiting thread | plain | plain |
/// | `files` | any thread | locked | locked |
final class PollerPoll extends PollerDeferred {
  private final EventFd counter;
  private final PollerFiles files = new PollerFiles();
  private PollFds fds = new PollFds(64);

  /// The handle of the entry at each index, or 0 if there is none.
  private long[] handles = new long[64];

  private int places = 1;
  private int found;

  /// The index before which the next search for ready entries begins, so that the last entries are
  /// not always reported last.
  private int cursor;

  private long calls;

  PollerPoll(PollerTable table) throws SysException {
    super(table);
    counter = EventFd.open(true);
    fds.set(0, counter.fd(), PollFds.POLLIN);
  }

  @Override
  String name() {
    return "poll";
  }

  @Override
  int check(int fd) {
    return files.check(fd);
  }

  @Override
  void prepare() {
    if (table.high() >= handles.length) {
      int size = table.capacity() + 1;
      handles = Arrays.copyOf(handles, size);
      fds = fds.grow(size);
    }
    int slot;
    for (int i = 0; (slot = table.changed(i)) >= 0; i++) {
      place(slot);
    }
    for (; places <= table.high(); places++) {
      place(places - 1);
    }
  }

  private void place(int slot) {
    int interest = table.interest(slot);
    handles[slot + 1] = table.handle(slot);
    fds.set(slot + 1, interest == 0 ? -1 : table.descriptor(slot), interest);
  }

  @Override
  void await(int max, long timeoutNanos) {
    calls++;
    found = fds.poll(places, timeoutNanos);
    if (found < 0) {
      if (found != -EINTR) {
        throw new IllegalStateException(SysException.of(-found, "ppoll", places, timeoutNanos));
      }
      found = 0;
    } else if (found > 0 && fds.revents(0) != 0) {
      calls++;
      counter.drain();
      found--;
    }
  }

  @Override
  void collect(PollerEvents into, int max) {
    int slots = places - 1;
    for (int i = 0; found > 0 && i < slots && into.count() < max; i++) {
      cursor = cursor + 1 < slots ? cursor + 1 : 0;
      int events = fds.revents(cursor + 1);
      if (events != 0) {
        found--;
        ready(cursor, events, into);
      }
    }
    found = 0;
  }

  private void ready(int slot, int events, PollerEvents into) {
    if (handles[slot + 1] != table.handle(slot)) {
      return; // removed during the wait; the list of changes knows
    }
    if ((events & PollFds.POLLNVAL) != 0) {
      table.die(slot);
    } else {
      table.report(slot, events, into);
    }
    if (table.interest(slot) == 0) {
      place(slot);
    }
  }

  @Override
  void wake() {
    counter.signal();
  }

  @Override
  long calls() {
    return calls + files.calls();
  }

  @Override
  public void close() {
    counter.close();
  }
}
