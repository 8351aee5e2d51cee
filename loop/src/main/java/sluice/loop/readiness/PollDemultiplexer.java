package sluice.loop.readiness;

import static sluice.sys.Errno.EINTR;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.sys.EventFd;
import sluice.sys.PollFds;
import sluice.sys.SysException;

/// A demultiplexer based on `poll(2)`, for kernels and sandboxes without epoll. Owned by the
/// engine's thread, except [#wake].
///
/// Watched sockets are stored contiguously in an array that the kernel reads in each wait. The time
/// for a wait is therefore proportional to their number, and changes require no system call. A
/// socket stores the index of its entry. The last entry is moved to the position of a removed
/// entry. Entry 0 is the wake-up counter.
final class PollDemultiplexer implements Demultiplexer {
  private final EventFd counter;
  private PollFds fds = new PollFds(64);
  private @Nullable ReadinessSocket[] entries = new @Nullable ReadinessSocket[64];
  private int count = 1;
  private int[] readySockets = new int[64];
  private int[] readyEvents = new int[64];
  private boolean woken;
  private long calls;

  PollDemultiplexer() throws SysException {
    this.counter = EventFd.open(true);
    fds.set(0, counter.fd(), IN);
  }

  @Override
  public int update(ReadinessSocket socket, int wanted) {
    socket.registered = wanted;
    if (wanted == 0) {
      if (socket.watchIndex >= 0) {
        remove(socket);
      }
      return 0;
    }
    if (socket.watchIndex < 0) {
      if (count == entries.length) {
        entries = Arrays.copyOf(entries, 2 * count);
        fds = fds.grow(2 * count);
      }
      socket.watchIndex = count;
      entries[count++] = socket;
    }
    fds.set(socket.watchIndex, socket.number, wanted);
    return 0;
  }

  private void remove(ReadinessSocket socket) {
    int hole = socket.watchIndex;
    int last = --count;
    ReadinessSocket moved = entries[last];
    if (hole != last && moved != null) {
      fds.set(hole, fds.fd(last), fds.events(last));
      entries[hole] = moved;
      moved.watchIndex = hole;
    }
    entries[last] = null;
    socket.watchIndex = -1;
  }

  @Override
  public int await(long timeoutNanos) {
    calls++;
    int found = fds.poll(count, timeoutNanos);
    if (found < 0) {
      if (found == -EINTR) {
        return found;
      }
      throw new IllegalStateException(SysException.of(-found, "ppoll", count, timeoutNanos));
    }
    if (found > readySockets.length) {
      int size = Math.max(found, 2 * readySockets.length);
      readySockets = new int[size];
      readyEvents = new int[size];
    }
    int ready = 0;
    for (int i = 0; ready < found; i++) {
      int events = fds.revents(i);
      if (events != 0) {
        readySockets[ready] = i == 0 ? -1 : fds.fd(i);
        readyEvents[ready] = events;
        ready++;
      }
    }
    if (ready > 0 && readySockets[0] < 0) {
      calls++;
      counter.drain();
      woken = true;
    }
    return ready;
  }

  /// Returns the number of the socket, or -1, which is not a socket, for the wake-up counter.
  @Override
  public int socket(int index) {
    return readySockets[index];
  }

  @Override
  public int events(int index) {
    return readyEvents[index];
  }

  @Override
  public boolean woken() {
    boolean result = woken;
    woken = false;
    return result;
  }

  @Override
  public void wake() {
    counter.signal();
  }

  @Override
  public long calls() {
    return calls;
  }

  @Override
  public void close() {
    counter.close();
  }
}
