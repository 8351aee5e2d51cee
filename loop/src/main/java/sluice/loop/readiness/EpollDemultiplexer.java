package sluice.loop.readiness;

import static sluice.sys.Errno.EINTR;

import sluice.sys.Epoll;
import sluice.sys.EpollDriver;
import sluice.sys.EpollEvents;
import sluice.sys.SysException;

/// A level-triggered demultiplexer based on `epoll(7)`. Owned by the engine's thread, except
/// [#wake].
///
/// Sockets that are not owned by the engine are registered one-shot, because their descriptor may
/// be closed, and its number reused for another file, while the registration exists. Therefore each
/// wait on them arms the registration again. Owned sockets are closed by the engine, which ends the
/// registration. A child process that is being started may keep the file open for a moment longer;
/// its events are ignored as spurious.
final class EpollDemultiplexer implements Demultiplexer {
  private static final int EVENTS = 1024;

  private final EpollDriver epoll;
  private final EpollEvents events = new EpollEvents(EVENTS);
  private boolean woken;
  private long waits;

  EpollDemultiplexer() throws SysException {
    this.epoll = EpollDriver.open();
  }

  @Override
  public int update(ReadinessSocket socket, int wanted) {
    if (wanted == 0) {
      if (socket.registered != 0) {
        int _ = epoll.remove(socket.number); // fails when the descriptor was closed: as well
        socket.registered = 0;
      }
      return 0;
    }
    int bits = socket.owned ? wanted : wanted | Epoll.EPOLLONESHOT;
    boolean known = !socket.owned || socket.registered != 0;
    int result = epoll.arm(known, socket.number, bits, socket.number);
    socket.registered = result < 0 ? 0 : wanted;
    return result;
  }

  @Override
  public int await(long timeoutNanos) {
    waits++;
    int count = epoll.epoll().await(events, timeoutNanos);
    if (count < 0 && count != -EINTR) {
      throw new IllegalStateException(
          SysException.of(-count, "epoll_pwait2", epoll.epoll().fd(), EVENTS, timeoutNanos));
    }
    for (int i = 0; i < count; i++) {
      woken |= events.data(i) == EpollDriver.WAKE;
    }
    return count;
  }

  /// Returns the number of the socket, or -1, which is not a socket, for the wake-up counter.
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
    epoll.wake();
  }

  @Override
  public long calls() {
    return waits + epoll.controls();
  }

  @Override
  public void close() {
    epoll.close();
  }
}
