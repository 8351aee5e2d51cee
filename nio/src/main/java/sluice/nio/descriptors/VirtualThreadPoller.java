package sluice.nio.descriptors;

import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import sluice.sys.Epoll;
import sluice.sys.EpollEvents;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.sockets.SocketErrors;

/// A poller that unparks virtual threads when their descriptors become ready. Any virtual thread
/// may arm a wake-up. A single daemon thread per poller waits for all descriptors.
///
/// A descriptor can be registered only once with an epoll set, so there are separate pollers for
/// readers and writers. After an entry has fired, or its thread has stopped waiting, it remains in
/// the set disarmed or with an unknown token. [ChannelCore] removes it before it closes the
/// descriptor.
///
/// | field | writer | read mode | write mode |
/// |---|---|---|---|
/// | `parked` | waiting threads | concurrent map | concurrent map |
final class VirtualThreadPoller {
  private static final int BATCH = 256;

  private final Epoll epoll;
  private final ConcurrentHashMap<Long, Waiter> parked = new ConcurrentHashMap<>();
  private final AtomicLong tokens = new AtomicLong();

  private static final class Readers {
    static final VirtualThreadPoller POLLER = start("sluice-nio-readers");
  }

  private static final class Writers {
    static final VirtualThreadPoller POLLER = start("sluice-nio-writers");
  }

  private VirtualThreadPoller(Epoll epoll) {
    this.epoll = epoll;
  }

  static VirtualThreadPoller readers() {
    return Readers.POLLER;
  }

  static VirtualThreadPoller writers() {
    return Writers.POLLER;
  }

  private static VirtualThreadPoller start(String name) {
    try {
      VirtualThreadPoller poller = new VirtualThreadPoller(Epoll.create());
      Thread.ofPlatform().daemon().name(name).start(poller::run);
      return poller;
    } catch (SysException failure) {
      throw new IllegalStateException(failure);
    }
  }

  Epoll epoll() {
    return epoll;
  }

  /// Arms a single wake-up.
  ///
  /// @return a token for [#forget]
  long arm(int fd, int events, Waiter waiter) throws IOException {
    long token = tokens.incrementAndGet();
    parked.put(token, waiter);
    int once = events | Epoll.EPOLLONESHOT;
    int result = epoll.control(Epoll.EPOLL_CTL_MOD, fd, once, token);
    if (result == -Errno.ENOENT) {
      result = epoll.control(Epoll.EPOLL_CTL_ADD, fd, once, token);
    }
    if (result < 0 && result != -Errno.EBADF) { // closed in this moment: the closer wakes us
      parked.remove(token);
      throw SocketErrors.of(result);
    }
    return token;
  }

  void forget(long token) {
    parked.remove(token);
  }

  private void run() {
    EpollEvents events = new EpollEvents(BATCH);
    while (true) {
      int count = epoll.await(events, -1);
      for (int i = 0; i < count; i++) {
        Waiter waiter = parked.remove(events.data(i));
        if (waiter != null) {
          waiter.wake();
        }
      }
    }
  }
}
