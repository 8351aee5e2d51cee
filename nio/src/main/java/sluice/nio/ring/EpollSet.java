package sluice.nio.ring;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.nio.descriptors.ParkingWaiter;
import sluice.sys.Epoll;
import sluice.sys.EpollDriver;
import sluice.sys.EpollEvents;
import sluice.sys.Errno;
import sluice.sys.PollFds;
import sluice.sys.SysException;

/// The epoll set with the keys of one selector. The thread that holds the selector calls; threads
/// may take turns.
///
/// Interest is lowered lazily: a descriptor that is no longer wanted stays in the kernel's set
/// until it fires once more, so switching interest off and on again costs nothing. The data of an
/// event is slot and generation, so a stale event of a reused slot is recognised.
///
/// ```
///  63          32 31           0
/// +--------------+--------------+
/// |  generation  |     slot     |
/// +--------------+--------------+
/// ```
final class EpollSet implements AutoCloseable {
  private static final int BATCH = 1024;

  private final EpollDriver epoll;

  /// The event buffer, recycled because many selectors come and go faster than the collector runs.
  private final EpollEvents events;

  private @Nullable NioKey[] keys = new NioKey[64];
  private int[] free = new int[64];
  private int freeCount;
  private int used;
  private int generation;
  private int watching;

  EpollSet() throws SysException {
    epoll = EpollDriver.open();
    events = EpollEvents.recycled(BATCH);
  }

  /// Returns the set's own descriptor, which can be polled.
  int fd() {
    return epoll.epoll().fd();
  }

  /// Returns the number of channels that the kernel watches.
  int size() {
    return watching;
  }

  /// Ends the wait of the selecting thread, or its next one. Any thread may call.
  void wake() {
    epoll.wake();
  }

  /// Adds the events that a key newly wants to the kernel's set.
  ///
  /// @return 0 or a negative errno
  int update(NioKey key) {
    int wanted = key.isValid() ? key.sluice().eventsFor(key.interest()) : 0;
    return (wanted & ~key.armed) == 0 ? 0 : arm(key, wanted);
  }

  private int arm(NioKey key, int wanted) {
    boolean known = key.armed != 0;
    if (key.slot < 0) {
      take(key);
    }
    long data = ((long) key.generation << 32) | key.slot;
    int operation =
        wanted == 0 ? Epoll.EPOLL_CTL_DEL : known ? Epoll.EPOLL_CTL_MOD : Epoll.EPOLL_CTL_ADD;
    watching += wanted == 0 ? -1 : known ? 0 : 1;
    key.armed = wanted;
    int result = key.sluice().core().control(epoll.epoll(), operation, wanted, data);
    if (result == -Errno.EBADF) { // closed: its key is about to be cancelled
      return 0;
    }
    if (result < 0) {
      watching -= key.armed == 0 ? 0 : 1;
      key.armed = 0;
    }
    return result;
  }

  private void take(NioKey key) {
    if (freeCount > 0) {
      key.slot = free[--freeCount];
    } else {
      if (used == keys.length) {
        keys = Arrays.copyOf(keys, 2 * used);
      }
      key.slot = used++;
    }
    key.generation = ++generation;
    keys[key.slot] = key;
  }

  /// Removes a key.
  void remove(NioKey key) {
    if (key.slot < 0) {
      return;
    }
    if (key.armed != 0) {
      key.armed = 0;
      watching--;
      int _ = key.sluice().core().control(epoll.epoll(), Epoll.EPOLL_CTL_DEL, 0, 0);
    }
    keys[key.slot] = null;
    if (freeCount == free.length) {
      free = Arrays.copyOf(free, 2 * freeCount);
    }
    free[freeCount++] = key.slot;
    key.slot = -1;
  }

  /// Waits for events.
  ///
  /// @param nanos 0 does not wait, negative waits without limit
  /// @return the number of events, or a negative errno
  int await(long nanos) {
    return epoll.epoll().await(events, nanos);
  }

  /// Parks the calling virtual thread, instead of blocking its carrier in the kernel, until there
  /// may be events.
  ///
  /// @param nanos negative waits without limit
  void park(long nanos) throws IOException {
    new ParkingWaiter().await(fd(), PollFds.POLLIN, nanos);
  }

  /// Returns true if an event is the selector's own wake-up.
  boolean isWake(int index) {
    return events.data(index) == EpollDriver.WAKE;
  }

  /// Returns the key of an event, or null if it was removed.
  @Nullable NioKey key(int index) {
    long data = events.data(index);
    int slot = (int) data;
    NioKey key = slot >= 0 && slot < keys.length ? keys[slot] : null;
    return key != null && key.generation == (int) (data >>> 32) ? key : null;
  }

  /// Returns the operations of the key's interest that an event makes ready. Removes unwanted
  /// events from the kernel's set.
  int ready(int index, NioKey key) {
    int interest = key.interest();
    int ready = key.sluice().readyFor(events.events(index), interest);
    if (ready == 0) {
      int wanted = key.sluice().eventsFor(interest);
      if (wanted != key.armed) {
        int _ = arm(key, wanted);
        if (key.sluice().eventsFor(key.interest()) != wanted) { // changed in this moment
          int _ = update(key);
        }
      }
    }
    return ready;
  }

  /// Closes the set and its wake-up, and recycles the event buffer. Called when no thread waits or
  /// reads events.
  @Override
  public void close() {
    epoll.close();
    events.close();
  }
}
