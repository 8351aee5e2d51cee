package sluice.nio.descriptors;

import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import sluice.sys.Epoll;
import sluice.sys.EpollEvents;
import sluice.sys.Errno;
import sluice.sys.SysException;
import sluice.sys.sockets.SocketErrors;

/// A poller that wakes virtual threads whose descriptor is ready. Any virtual thread arms a
/// wake-up; one daemon thread per poller waits for all of them.
///
/// A descriptor has one place in an epoll set, so readers and writers have a poller each. An entry
/// that has fired, or whose thread gave up, stays in the set disarmed or with an unknown token;
/// [ChannelCore] removes it before it closes the descriptor.
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

  /// Arms one wake-up.
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
