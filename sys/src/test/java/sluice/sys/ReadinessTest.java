package sluice.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests epoll, poll and event descriptors.
@Timeout(120)
class ReadinessTest {
  private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

  /// Waits, and waits again after an interruption. The kernel may still be ending a ring that this
  /// thread has closed before, and interrupt the wait for that.
  private static int await(Epoll epoll, EpollEvents events, long nanos) {
    int count;
    do {
      count = epoll.await(events, nanos);
    } while (count == -Errno.EINTR);
    return count;
  }

  @Test
  void epollReportsWhatIsReady() throws Exception {
    try (Epoll epoll = Epoll.create();
        EventFd one = EventFd.open(true);
        EventFd two = EventFd.open(true)) {
      EpollEvents events = new EpollEvents(4);
      long large = 0x1234_5678_9abc_def0L;
      assertThat(epoll.control(Epoll.EPOLL_CTL_ADD, one.fd(), Epoll.EPOLLIN, large)).isZero();
      assertThat(epoll.control(Epoll.EPOLL_CTL_ADD, two.fd(), Epoll.EPOLLIN, -2)).isZero();
      assertThat(epoll.control(Epoll.EPOLL_CTL_ADD, two.fd(), Epoll.EPOLLIN, -2))
          .isEqualTo(-Errno.EEXIST);
      assertThat(await(epoll, events, 0)).isZero();
      two.signal();
      assertThat(await(epoll, events, -1)).isEqualTo(1);
      assertThat(events.data(0)).isEqualTo(-2);
      assertThat(events.events(0)).isEqualTo(Epoll.EPOLLIN);
      one.signal();
      assertThat(await(epoll, events, MILLISECOND)).isEqualTo(2);
      assertThat(new long[] {events.data(0), events.data(1)}).containsExactlyInAnyOrder(large, -2);
      assertThat(epoll.control(Epoll.EPOLL_CTL_MOD, one.fd(), 0, 0)).isZero();
      assertThat(epoll.control(Epoll.EPOLL_CTL_DEL, two.fd(), 0, 0)).isZero();
      long start = System.nanoTime();
      assertThat(await(epoll, events, 5 * MILLISECOND)).isZero();
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(5 * MILLISECOND);
    }
  }

  @Test
  void epollRefusesUseAfterClose() throws Exception {
    Epoll epoll = Epoll.create();
    epoll.close();
    epoll.close();
    assertThat(epoll.await(new EpollEvents(1), 0)).isEqualTo(-Errno.EBADF);
    assertThat(epoll.control(Epoll.EPOLL_CTL_ADD, 0, 1, 0)).isEqualTo(-Errno.EBADF);
  }

  @Test
  void pollReportsWhatIsReady() throws Exception {
    try (EventFd one = EventFd.open(true);
        EventFd two = EventFd.open(true)) {
      PollFds fds = new PollFds(1);
      fds.set(0, one.fd(), PollFds.POLLIN);
      fds = fds.grow(3);
      fds.set(1, two.fd(), PollFds.POLLIN | PollFds.POLLOUT);
      fds.set(2, -1, PollFds.POLLIN);
      assertThat(fds.fd(0)).isEqualTo(one.fd());
      assertThat(fds.events(1)).isEqualTo(PollFds.POLLIN | PollFds.POLLOUT);
      assertThat(fds.poll(1, MILLISECOND)).isZero();
      assertThat(fds.poll(3, 0)).isEqualTo(1);
      assertThat(fds.revents(1)).isEqualTo(PollFds.POLLOUT);
      one.signal();
      assertThat(fds.poll(3, -1)).isEqualTo(2);
      assertThat(fds.revents(0)).isEqualTo(PollFds.POLLIN);
      assertThat(fds.revents(2)).isZero();
    }
  }

  @Test
  void pollSaysWhichDescriptorIsClosed() throws Exception {
    EventFd gone = EventFd.open(true);
    gone.close();
    PollFds fds = new PollFds(1);
    fds.set(0, gone.fd(), PollFds.POLLIN);
    assertThat(fds.poll(1, -1)).isEqualTo(1);
    assertThat(fds.revents(0)).isEqualTo(PollFds.POLLNVAL);
  }

  @Test
  void eventsAreCounted() throws Exception {
    EventFd event = EventFd.open(true);
    assertThat(event.drain()).isEqualTo(-Errno.EAGAIN);
    assertThat(event.signal()).isTrue();
    assertThat(event.signal()).isTrue();
    assertThat(event.drain()).isEqualTo(2);
    event.close();
    event.close();
    assertThat(event.signal()).isFalse();
    assertThat(event.drain()).isEqualTo(-Errno.EBADF);
  }

  @Test
  void moreBlockedCallsThanSlotsStillWork() throws Exception {
    int[] pipe = new int[2];
    assertThat(Files.pipe2(0, pipe)).isZero();
    Thread[] readers = new Thread[80];
    for (int i = 0; i < readers.length; i++) {
      readers[i] =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try (Arena arena = Arena.ofConfined()) {
                  Files.read(pipe[0], arena.allocate(1), 0, 1);
                }
              });
    }
    Thread.sleep(50);
    assertThat(Files.close(-1)).isEqualTo(-Errno.EBADF);
    try (Epoll epoll = Epoll.create()) {
      assertThat(epoll.control(Epoll.EPOLL_CTL_ADD, pipe[0], Epoll.EPOLLIN, 1)).isZero();
    }
    Files.close(pipe[1]);
    for (Thread reader : readers) {
      reader.join();
    }
    Files.close(pipe[0]);
  }
}
