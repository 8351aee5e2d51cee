package sluice.loop.readiness;

import static sluice.sys.Errno.EEXIST;
import static sluice.sys.Errno.EINTR;
import static sluice.sys.Errno.ENOENT;

import sluice.sys.Epoll;
import sluice.sys.EpollEvents;
import sluice.sys.EventFd;
import sluice.sys.SysException;

/// Readiness from `epoll(7)`, level-triggered. Owned by the engine's thread, except [#wake].
///
/// The wake-up counter is edge-triggered and never read: each write is an edge of its own, edges
/// between two waits are reported as one, and the report costs no system call.
///
/// Sockets that are not ours are registered one-shot: their descriptor may be closed, and its
/// number given to another file, while the registration stands. So each wait on them says again
/// what it wants. Ours are closed by us, which ends the registration; a child process that is just
/// being started may keep the file for a moment longer, and events of it are ignored as spurious.
final class EpollPoller implements ReadinessPoller {
  private static final int EVENTS = 1024;
  private static final long WAKE = -1;

  private final Epoll epoll;
  private final EventFd counter;
  private final EpollEvents events = new EpollEvents(EVENTS);
  private boolean woken;
  private long calls;

  EpollPoller() throws SysException {
    this.epoll = Epoll.create();
    try {
      this.counter = EventFd.open(true);
    } catch (SysException e) {
      epoll.close();
      throw e;
    }
    int bits = Epoll.EPOLLIN | Epoll.EPOLLET;
    int result = epoll.control(Epoll.EPOLL_CTL_ADD, counter.fd(), bits, WAKE);
    if (result < 0) {
      close();
      throw SysException.of(-result, "epoll_ctl", "EPOLL_CTL_ADD", counter.fd());
    }
  }

  @Override
  public int update(ReadinessSocket socket, int wanted) {
    if (wanted == 0) {
      if (socket.registered != 0) {
        control(Epoll.EPOLL_CTL_DEL, socket, 0); // fails when the descriptor was closed: as well
        socket.registered = 0;
      }
      return 0;
    }
    int bits = socket.owned ? wanted : wanted | Epoll.EPOLLONESHOT;
    boolean known = !socket.owned || socket.registered != 0;
    int result = control(known ? Epoll.EPOLL_CTL_MOD : Epoll.EPOLL_CTL_ADD, socket, bits);
    if (result == -ENOENT) {
      result = control(Epoll.EPOLL_CTL_ADD, socket, bits);
    } else if (result == -EEXIST) {
      result = control(Epoll.EPOLL_CTL_MOD, socket, bits);
    }
    socket.registered = result < 0 ? 0 : wanted;
    return result;
  }

  private int control(int operation, ReadinessSocket socket, int bits) {
    calls++;
    return epoll.control(operation, socket.number, bits, socket.number);
  }

  @Override
  public int await(long timeoutNanos) {
    calls++;
    int count = epoll.await(events, timeoutNanos);
    if (count < 0 && count != -EINTR) {
      throw new IllegalStateException(
          SysException.of(-count, "epoll_pwait2", epoll.fd(), EVENTS, timeoutNanos));
    }
    for (int i = 0; i < count; i++) {
      woken |= events.data(i) == WAKE;
    }
    return count;
  }

  /// -1, which is no socket, for the wake-up counter.
  @Override
  public int socket(int index) {
    return (int) events.data(index);
  }

  @Override
  public int events(int index) {
    return events.events(index);
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
    epoll.close();
    counter.close();
  }
}
