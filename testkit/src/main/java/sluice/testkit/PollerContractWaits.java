package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.MILLIS;
import static sluice.testkit.PollerContractRig.OUT;
import static sluice.testkit.PollerContractRig.SECONDS;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.testkit.PollerContractRig.Member;

/// Tests of the reports and the ends of waits.
interface PollerContractWaits {
  PollerContractRig rig();

  @Test
  default void reportsWhatIsReadyAndNothingElse() throws IOException {
    rig().member(IN);
    Member second = rig().ready(IN);
    rig().member(IN);
    assertThat(rig().await()).containsExactly(second.handle());
    assertThat(rig().events.descriptor(0)).isEqualTo(second.fd());
    assertThat(rig().events.events(0)).isEqualTo(IN);
    assertThat(second.handle()).isPositive();
  }

  @Test
  default void reportsOnlyTheEventsThatAreWanted() throws IOException {
    Member both = rig().ready(IN | OUT);
    Member one = rig().ready(OUT);
    assertThat(rig().await()).containsExactlyInAnyOrder(both.handle(), one.handle());
    for (int i = 0; i < 2; i++) {
      boolean first = rig().events.handle(i) == both.handle();
      assertThat(rig().events.events(i)).isEqualTo(first ? IN | OUT : OUT);
    }
  }

  @Test
  default void isLevelTriggered() throws IOException {
    Member member = rig().ready(IN);
    for (int i = 0; i < 5; i++) {
      assertThat(rig().await()).containsExactly(member.handle());
    }
    member.readable(false);
    rig().assertSilent();
    member.readable(true);
    assertThat(rig().await()).containsExactly(member.handle());
  }

  @Test
  default void whatWasReadyAndNotReportedIsAskedAgain() throws IOException {
    Member first = rig().ready(IN);
    Member second = rig().ready(IN);
    long reported = rig().await(1, SECONDS).getFirst();
    Member other = reported == first.handle() ? second : first;
    other.readable(false);
    assertThat(rig().await()).containsExactly(reported);
  }

  @Test
  default void whatIsOverBeforeTheWaitIsNotReported() throws IOException {
    Member member = rig().member(IN);
    rig().assertSilent();
    for (int i = 0; i < 10; i++) {
      member.readable(true);
      member.readable(false);
      assertThat(rig().now()).isEmpty();
    }
  }

  @Test
  default void anEntryWithoutEventsIsSilent() throws IOException {
    Member member = rig().ready(0);
    rig().assertSilent();
    rig().poller.modify(member.handle(), IN);
    assertThat(rig().await()).containsExactly(member.handle());
  }

  @Test
  default void aWaitLastsItsTime() throws IOException {
    rig().member(IN);
    assertLasts(30 * MILLIS);
    assertLasts(30 * MILLIS);
  }

  private void assertLasts(long nanos) {
    long start = rig().world.nanos();
    assertThat(rig().await(8, nanos)).isEmpty();
    assertThat(rig().world.nanos() - start).isGreaterThanOrEqualTo(nanos);
  }

  @Test
  default void aWaitWithoutEntriesLastsItsTime() {
    assertLasts(10 * MILLIS);
  }

  @Test
  default void anEventEndsAWaitWithoutLimit() throws IOException {
    Member member = rig().member(IN);
    rig().world.later(20 * MILLIS, () -> member.readable(true));
    assertThat(rig().await(8, -1)).containsExactly(member.handle());
  }

  @Test
  default void wakeupBeforeAWaitEndsIt() throws IOException {
    rig().member(IN);
    for (int i = 0; i < 3; i++) {
      rig().poller.wakeup();
      rig().poller.wakeup(); // many count as one
      assertThat(rig().await(8, -1)).isEmpty();
    }
    rig().assertSilent();
  }

  @Test
  default void wakeupDuringAWaitEndsIt() throws IOException {
    rig().member(IN);
    for (int i = 0; i < 3; i++) {
      rig().world.later(10 * MILLIS, rig().poller::wakeup);
      assertThat(rig().await(8, -1)).isEmpty();
    }
    assertLasts(30 * MILLIS);
  }

  @Test
  default void wakeupDoesNotHideWhatIsReady() throws IOException {
    Member member = rig().ready(IN);
    rig().poller.wakeup();
    assertThat(rig().await(8, -1)).containsExactly(member.handle());
    member.readable(false);
    assertThat(rig().await(8, 10 * MILLIS)).isEmpty();
  }

  @Test
  default void wakeupCostsNoCallWhenNoThreadWaits() {
    rig().now();
    long before = rig().poller.systemCalls();
    for (int i = 0; i < 100; i++) {
      rig().poller.wakeup();
    }
    assertThat(rig().poller.systemCalls()).isEqualTo(before);
    rig().await(8, -1);
    assertThat(rig().poller.systemCalls() - before).isLessThanOrEqualTo(2);
  }

  @Test
  default void nothingStarvesWhenMoreIsReadyThanIsAskedFor() throws IOException {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      members.add(rig().ready(IN));
    }
    Map<Long, Integer> times = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      for (long handle : rig().await(3, SECONDS)) {
        times.merge(handle, 1, Integer::sum);
      }
    }
    assertThat(times).hasSize(10);
    assertThat(times.values()).allSatisfy(n -> assertThat(n).isBetween(15, 45));
    for (Member member : members) {
      member.readable(false);
    }
    rig().assertSilent();
  }

  @Test
  default void oneAtATimeDoesNotStarveEither() throws IOException {
    Member first = rig().ready(IN);
    Member second = rig().ready(IN);
    Map<Long, Integer> times = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      times.merge(rig().await(1, SECONDS).getFirst(), 1, Integer::sum);
    }
    assertThat(times).containsOnlyKeys(first.handle(), second.handle());
    assertThat(times.values()).allSatisfy(n -> assertThat(n).isBetween(5, 15));
  }
}
