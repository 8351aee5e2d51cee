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

/// The thread of a device that waits for its sockets: for new connections, for peers that wake this
/// process, and for peers that end. Any thread may add, remove and order. Handlers are called on
/// this thread and must not block. This thread waits for no other one: nothing here is locked.
///
/// Threads that wait for messages park in Java and are unparked from here, so that one thread can
/// wait for many connections, and a virtual thread pins nothing.
final class Watcher implements AutoCloseable {
  private static final int EVENTS = 64;
  private static final int SCRATCH_BYTES = 256;

  /// The handler of a socket that is readable or has ended.
  interface Handler {
    /// Handles a ready socket.
    ///
    /// @param scratch memory of the thread, for received bytes
    void ready(MemorySegment scratch);

    /// Handles the close of the device: the handler is not called any more.
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

  /// Watches a socket. One descriptor number can have one handler.
  ///
  /// @throws IOException if the device is closed, or the kernel refuses
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

  /// Stops watching a socket, before its descriptor is closed. An event in progress may still reach
  /// the handler that then has this number, so handlers check before they act.
  void remove(int fd) {
    handlers.remove(fd);
    int _ = epoll.control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
  }

  /// Runs an action once on this thread.
  ///
  /// @return false if the thread has ended, so that no handler is called any more
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

  /// Ends the thread.
  @Override
  public void close() {
    stopped = true;
    boolean _ = wake.signal();
  }
}
