package sluice.vi.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.sys.Epoll;
import sluice.sys.EpollEvents;
import sluice.sys.EventFd;
import sluice.sys.SysException;

/// The thread of a device that waits for its sockets: connections that come, peers that wake this
/// process, peers that end. Any thread may add and remove; what is added is called by this thread
/// and must not block.
///
/// Threads that wait for messages park in Java and are unparked from here, so that one thread can
/// wait for many connections, and a virtual thread pins nothing.
final class Watcher implements AutoCloseable {
  private static final int EVENTS = 64;
  private static final int SCRATCH_BYTES = 256;

  /// Called when a socket can be read or has ended.
  interface Handler {
    /// @param scratch memory of the thread, for what is received
    void ready(MemorySegment scratch);
  }

  private final Epoll epoll;
  private final EventFd stop;
  private final Map<Integer, Handler> handlers = new ConcurrentHashMap<>();
  private final Thread thread;
  private volatile boolean stopped;

  Watcher() throws IOException {
    epoll = Epoll.create();
    try {
      stop = EventFd.open(true);
    } catch (SysException e) {
      epoll.close();
      throw e;
    }
    int _ = epoll.control(Epoll.EPOLL_CTL_ADD, stop.fd(), Epoll.EPOLLIN, stop.fd());
    thread = Thread.ofPlatform().daemon().name("sluice-vi-watcher").unstarted(this::run);
    thread.start();
  }

  /// Watches a socket. One descriptor number can have one handler.
  void add(int fd, Handler handler) throws SysException {
    handlers.put(fd, handler);
    int result = epoll.control(Epoll.EPOLL_CTL_ADD, fd, Epoll.EPOLLIN, fd);
    if (result < 0) {
      handlers.remove(fd);
    }
    SysException.check(result, "epoll_ctl", fd);
  }

  /// Stops watching, before the descriptor is closed. An event under way may still come, to the
  /// handler that then has this number: handlers look before they act.
  void remove(int fd) {
    handlers.remove(fd);
    int _ = epoll.control(Epoll.EPOLL_CTL_DEL, fd, 0, 0);
  }

  private void run() {
    EpollEvents events = new EpollEvents(EVENTS);
    MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_BYTES, Long.BYTES);
    while (!stopped) {
      int count = epoll.await(events, -1);
      for (int i = 0; i < count; i++) {
        Handler handler = handlers.get((int) events.data(i));
        if (handler != null) {
          handler.ready(scratch);
        }
      }
    }
    epoll.close();
    stop.close();
  }

  /// Ends the thread.
  @Override
  public void close() {
    stopped = true;
    boolean _ = stop.signal();
  }
}
