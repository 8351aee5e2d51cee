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

/// The epoll set with the keys of one selector. The methods are called by the thread that holds the
/// selector, and different threads may take turns.
///
/// Interest is removed lazily. A descriptor without an interest remains in the kernel's set until
/// it fires once more, so that toggling the interest requires no system call. The user data of an
/// event consists of a slot and its generation, so that stale events of a reused slot can be
/// recognized.
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

  /// The event buffer. It is recycled because selectors may be created faster than the garbage
  /// collector frees them.
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

  /// Returns the descriptor of the epoll set itself, which can be polled.
  int fd() {
    return epoll.epoll().fd();
  }

  /// Returns the number of channels that the kernel watches.
  int size() {
    return watching;
  }

  /// Wakes the selecting thread. If it is not waiting, its next wait returns immediately. Any
  /// thread may call.
  void wake() {
    epoll.wake();
  }

  /// Adds the events that have been added to a key's interest to the kernel's set.
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

  /// Removes a key from the set.
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
  /// @param nanos the timeout, 0 to return immediately, or a negative number to wait indefinitely
  /// @return the number of events, or a negative errno
  int await(long nanos) {
    return epoll.epoll().await(events, nanos);
  }

  /// Parks the calling virtual thread until events may be available, so that its carrier is not
  /// blocked in the kernel.
  ///
  /// @param nanos the timeout, or a negative number to wait indefinitely
  void park(long nanos) throws IOException {
    new ParkingWaiter().await(fd(), PollFds.POLLIN, nanos);
  }

  /// Returns true if the given event is the selector's own wake-up.
  boolean isWake(int index) {
    return events.data(index) == EpollDriver.WAKE;
  }

  /// Returns the key of the given event, or null if the key has been removed.
  @Nullable NioKey key(int index) {
    long data = events.data(index);
    int slot = (int) data;
    NioKey key = slot >= 0 && slot < keys.length ? keys[slot] : null;
    return key != null && key.generation == (int) (data >>> 32) ? key : null;
  }

  /// Returns the operations in the key's interest set that an event makes ready. Events without an
  /// interest are removed from the kernel's set.
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

  /// Closes the set and its wake-up descriptor, and recycles the event buffer. No thread may be
  /// waiting or reading events.
  @Override
  public void close() {
    epoll.close();
    events.close();
  }
}
