package sluice.sys;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.call.CallMemory;

@Timeout(300)
final class CallMemoryTest {
  @Test
  void aPieceHasOneOwnerAtATime() {
    List<CallMemory> open = new ArrayList<>();
    Set<Long> places = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      CallMemory memory = CallMemory.recycled(1000);
      MemorySegment part = memory.part(1000);
      part.set(JAVA_LONG, 0, i);
      assertThat(places.add(part.address())).isTrue();
      open.add(memory);
    }
    for (CallMemory memory : open) {
      assertThat(memory.close()).isTrue();
      assertThat(memory.close()).as("given back once only").isFalse();
    }
    Set<Long> again = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      assertThat(again.add(CallMemory.recycled(1000).part(8).address())).isTrue();
    }
    assertThat(again).as("kept pieces are used again").containsAnyElementsOf(places);
  }

  @Test
  void partsAreAlignedAndApart() {
    CallMemory memory = CallMemory.recycled(64);
    MemorySegment first = memory.part(4);
    MemorySegment second = memory.part(8);
    assertThat(second.address() - first.address()).isEqualTo(8);
    first.set(JAVA_INT, 0, 1);
    second.set(JAVA_LONG, 0, -1);
    assertThat(first.get(JAVA_INT, 0)).isEqualTo(1);
    assertThat(memory.close()).isTrue();
  }

  @Test
  void closedEventsAndDescriptorsCannotBeUsed() throws Exception {
    try (Epoll epoll = Epoll.create();
        EpollEvents stays = EpollEvents.recycled(1024)) {
      EpollEvents events = EpollEvents.recycled(1024);
      assertThat(epoll.await(events, 0)).isZero();
      events.close();
      events.close();
      assertThatThrownBy(() -> events.data(1023)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> events.events(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> epoll.await(events, 0)).isInstanceOf(IllegalStateException.class);
      assertThat(epoll.await(stays, 1)).isZero();
    }
    PollFds fds = PollFds.recycled(64);
    fds.set(63, -1, PollFds.POLLIN);
    assertThat(fds.poll(0, 1)).isZero();
    fds.close();
    assertThatThrownBy(() -> fds.set(0, 1, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> fds.revents(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> fds.poll(0, 0)).isInstanceOf(IllegalStateException.class);
  }

  /// Checks memory in use by a call. If it could be closed, the kernel would write into memory of
  /// its next owner.
  @Test
  void whatACallUsesStaysOpen() throws Exception {
    EventFd wake = EventFd.open(true);
    Epoll epoll = Epoll.create();
    EpollEvents events = EpollEvents.recycled(1024);
    assertThat(epoll.control(Epoll.EPOLL_CTL_ADD, wake.fd(), Epoll.EPOLLIN, 7)).isZero();
    CountDownLatch waits = new CountDownLatch(1);
    AtomicReference<Object> result = new AtomicReference<>("none");
    Thread waiter =
        Thread.ofPlatform()
            .start(() -> {
              waits.countDown();
              result.set(awaitUntilBegun(epoll, events));
            });
    waits.await();
    while (!isRefused(events)) {
      Thread.onSpinWait();
      assertThat(result.get()).as("the wait has no end yet").isEqualTo("none");
      Thread.sleep(1);
    }
    wake.signal();
    waiter.join();
    assertThat(result.get()).isEqualTo(1);
    assertThat(events.data(0)).isEqualTo(7);
    events.close();
    epoll.close();
    wake.close();
  }

  /// Waits for events. The first tries may collide with the test's probe.
  private static int awaitUntilBegun(Epoll epoll, EpollEvents events) {
    while (true) {
      try {
        return epoll.await(events, -1);
      } catch (IllegalStateException probed) {
        Thread.onSpinWait();
      }
    }
  }

  /// Returns true if the memory is in use. Begins a call as a probe, because closing would close
  /// the memory if no call uses it yet.
  private static boolean isRefused(EpollEvents events) {
    try {
      events.memory().beginCall();
    } catch (IllegalStateException inUse) {
      assertThatThrownBy(events::close).isInstanceOf(IllegalStateException.class);
      return true;
    }
    events.memory().endCall();
    return false;
  }
}
