package sluice.vi.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import sluice.sys.Epoll;
import sluice.sys.EpollEvents;
import sluice.sys.EventFd;
import sluice.sys.SysException;
import sluice.vi.device.DeviceException;
import sluice.vi.device.Orders;

/// The thread of a device that waits for its sockets. It accepts new connections, and detects peers
/// that wake this process or terminate. Any thread may add and remove sockets and submit actions.
/// Handlers are invoked on this thread and must not block. This thread never waits for another,
/// because it acquires no locks.
///
/// Threads that wait for messages park in Java and are unparked by this thread, so that a single
/// thread can wait for many connections, and a virtual thread does not pin its carrier.
final class Watcher implements AutoCloseable {
  private static final int EVENTS = 64;
  private static final int SCRATCH_BYTES = 256;

  /// The handler of a socket that is readable or has been closed by its peer.
  interface Handler {
    /// Handles a socket that is ready.
    ///
    /// @param scratch the thread's buffer for received bytes
    void ready(MemorySegment scratch);

    /// Notifies the handler that the device has been closed. The handler is not invoked any more.
    default void stopped() {}
  }

  private final Epoll epoll;
  private final EventFd wake;
  private final Orders orders = new Orders();
  private final Map<Integer, Handler> handlers = new ConcurrentSkipListMap<>();
  private final Thread thread;
  private volatile boolean stopped;

  Watcher() throws IOException {
    epoll = Epoll.create();
    try {
      wake = EventFd.open(true);
    } catch (SysException e) {
      epoll.close();
      throw e;
    }
    int _ = epoll.control(Epoll.EPOLL_CTL_ADD, wake.fd(), Epoll.EPOLLIN, wake.fd());
    thread = Thread.ofPlatform().daemon().name("sluice-vi-watcher").unstarted(this::run);
    thread.start();
  }

  /// Watches a socket. Each descriptor number can have only one handler.
  ///
  /// @throws IOException if the device is closed or the kernel rejects the registration
  void add(int fd, Handler handler) throws IOException {
    handlers.put(fd, handler);
    int result = epoll.control(Epoll.EPOLL_CTL_ADD, fd, Epoll.EPOLLIN, fd);
    if (stopped) { // else the handler is told when it is
      remove(fd);
      throw DeviceException.deviceClosed();
    }
    if (result < 0) {
      handlers.remove(fd);
    }
    SysException.check(result, "epoll_ctl", fd);
  }

  /// Stops watching a socket. This method must be called before the descriptor is closed. A
  /// concurrent event may still be delivered to a handler that is later registered with the same
  /// number, so handlers must check the state before they act.
  void remove(int fd) {
    handlers.remove(fd);
    int _ = epoll.control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
  }

  /// Runs an action once on this thread.
  ///
  /// @return false if the thread has terminated and no more handlers are invoked
  boolean order(Runnable order) {
    if (!orders.add(order)) {
      return false;
    }
    boolean _ = wake.signal();
    return true;
  }

  private void run() {
    EpollEvents events = new EpollEvents(EVENTS);
    MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_BYTES, Long.BYTES);
    while (!stopped) {
      int count = epoll.await(events, -1);
      for (int i = 0; i < count; i++) {
        int fd = (int) events.data(i);
        Handler handler = handlers.get(fd);
        if (handler != null) {
          handler.ready(scratch);
        } else if (fd == wake.fd()) {
          long _ = wake.drain();
        }
      }
      orders.run();
    }
    orders.end();
    handlers.values().forEach(Handler::stopped);
    epoll.close();
    wake.close();
  }

  /// Terminates the thread.
  @Override
  public void close() {
    stopped = true;
    boolean _ = wake.signal();
  }
}
