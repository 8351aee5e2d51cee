package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;
import sluice.sys.SysException;

/// A poller, its world, and helper methods for the tests of its contract. Owned by the test's
/// thread.
public final class PollerContractRig {
  static final int IN = Poller.IN;
  static final int OUT = Poller.OUT;
  static final long MILLIS = 1_000_000L;
  static final long SECONDS = 1_000_000_000L;

  /// A descriptor that is a member of the poller.
  record Member(PollerContractWorld.Subject subject, long handle) {
    void readable(boolean readable) {
      subject.readable(readable);
    }

    int fd() {
      return subject.fd();
    }
  }

  final PollerContractWorld world;
  final Poller poller;
  final PollerEvents events = new PollerEvents(64);

  PollerContractRig(PollerContractWorld world, int maxEntries) throws IOException {
    this.world = world;
    this.poller = world.open(maxEntries);
  }

  Member member(int wanted) throws IOException {
    var subject = world.subject();
    return new Member(subject, poller.add(subject.fd(), wanted));
  }

  Member ready(int wanted) throws IOException {
    Member member = member(wanted);
    member.readable(true);
    return member;
  }

  /// Returns the handles that one wait reports.
  List<Long> await(int max, long timeoutNanos) {
    int count =
        timeoutNanos < 0
            ? EndlessWait.of(() -> poller.await(events, max, timeoutNanos), poller::wakeup)
            : poller.await(events, max, timeoutNanos);
    assertThat(count).isEqualTo(events.count()).isLessThanOrEqualTo(max);
    List<Long> handles = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      handles.add(events.handle(i));
    }
    assertThat(handles).doesNotHaveDuplicates();
    return handles;
  }

  /// Returns the handles that a wait reports when an event is expected.
  List<Long> await() {
    return await(64, 30 * SECONDS);
  }

  /// Returns the handles that are reported now.
  List<Long> now() {
    return await(64, 0);
  }

  /// Checks that nothing is reported, neither now nor a little later.
  void assertSilent() {
    assertThat(now()).isEmpty();
    assertThat(await(64, 20 * MILLIS)).isEmpty();
  }

  static void assertRefused(int errno, String call, ThrowingCallable action) {
    SysException refused = catchThrowableOfType(SysException.class, action);
    assertThat(refused).isNotNull();
    assertThat(refused.errno()).isEqualTo(errno);
    assertThat(refused.call()).isEqualTo(call);
    assertThat(refused).hasMessageContaining("Why: ").hasMessageContaining("Fix: ");
    assertThat(refused.why()).isNotBlank();
    assertThat(refused.fix()).isNotBlank();
  }
}
