package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.MILLIS;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerEvents;
import sluice.testkit.PollerContractRig.Member;

/// Tests of closed descriptors and pollers, reused numbers and growing tables.
interface PollerContractLife {
  PollerContractRig rig();

  /// Opens members with these descriptor numbers, which were closed a moment ago. Returns fewer if
  /// another thread of the process has taken one. Lower numbers may have become free as well.
  private List<Member> numbered(Set<Integer> numbers) throws IOException {
    List<Member> found = new ArrayList<>();
    for (int i = 0; i < 100 && found.size() < numbers.size(); i++) {
      var subject = rig().world.subject();
      if (numbers.contains(subject.fd())) {
        found.add(new Member(subject, rig().poller.add(subject.fd(), IN)));
      }
    }
    return found;
  }

  @Test
  default void aNumberThatIsUsedAgainIsAnotherEntry() throws IOException {
    int again = 0;
    for (int i = 0; i < 20; i++) {
      Member member = rig().ready(IN);
      assertThat(rig().await()).containsExactly(member.handle());
      rig().poller.remove(member.handle());
      member.subject().close();
      List<Member> found = numbered(Set.of(member.fd()));
      if (found.isEmpty()) {
        continue;
      }
      again++;
      Member next = found.getFirst();
      assertThat(next.handle()).isNotEqualTo(member.handle());
      rig().assertSilent();
      next.readable(true);
      assertThat(rig().await()).containsExactly(next.handle());
      rig().poller.remove(next.handle());
      next.subject().close();
    }
    assertThat(again).isPositive();
  }

  /// Checks a number that is reused between two waits: events that the kernel found for the old
  /// entry must not be reported for the new one.
  @Test
  default void aNumberThatIsUsedAgainBetweenTwoWaitsIsAnotherEntry() throws IOException {
    int again = 0;
    for (int i = 0; i < 20 && again < 2; i++) {
      Member member = rig().ready(IN);
      Member other = rig().ready(IN);
      assertThat(rig().await(1, -1)).hasSize(1); // the second may have been found as well
      rig().poller.remove(member.handle());
      rig().poller.remove(other.handle());
      member.subject().close();
      other.subject().close();
      List<Member> found = numbered(Set.of(member.fd(), other.fd()));
      again = found.size();
      rig().assertSilent();
      for (Member each : found) {
        rig().poller.remove(each.handle());
      }
    }
    assertThat(again).isEqualTo(2);
  }

  @Test
  default void aDescriptorClosedWhileItIsAMemberHarmsNoOther() throws IOException {
    Member closed = rig().member(IN);
    Member ready = rig().ready(IN);
    Member other = rig().member(IN);
    assertThat(rig().await()).containsExactly(ready.handle());
    closed.subject().close();
    int reports = 0;
    for (int i = 0; i < 10; i++) {
      List<Long> handles = rig().await();
      assertThat(handles).contains(ready.handle()).doesNotContain(other.handle());
      reports += handles.contains(closed.handle()) ? 1 : 0;
    }
    assertThat(reports).isLessThanOrEqualTo(1);
    ready.readable(false);
    rig().assertSilent();
    rig().poller.disable(closed.handle());
    rig().poller.enable(closed.handle());
    rig().poller.modify(closed.handle(), IN | PollerContractRig.OUT);
    rig().now();
    rig().assertSilent();
    assertThat(rig().poller.isMember(closed.handle())).isTrue();
    rig().poller.remove(closed.handle());
    assertThat(rig().poller.size()).isEqualTo(2);
    other.readable(true);
    assertThat(rig().await()).containsExactly(other.handle());
  }

  @Test
  default void aClosedReadyDescriptorIsReportedAtMostOnce() throws IOException {
    Member closed = rig().ready(IN);
    assertThat(rig().await()).containsExactly(closed.handle());
    closed.subject().close();
    rig().await(8, 10 * MILLIS);
    rig().assertSilent();
    rig().poller.remove(closed.handle());
    Member next = rig().ready(IN);
    assertThat(rig().await()).containsExactly(next.handle());
  }

  @Test
  default void aPollerOutlivesManyEntries() throws IOException {
    Set<Long> handles = new HashSet<>();
    List<Member> members = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 200; i++) {
        members.add(rig().member(IN));
        assertThat(handles.add(members.getLast().handle())).isTrue();
        assertThat(Poller.index(members.getLast().handle())).isBetween(0, 199);
      }
      members.get(77).readable(true);
      assertThat(rig().await()).containsExactly(members.get(77).handle());
      for (Member member : members) {
        rig().poller.remove(member.handle());
        member.subject().close();
      }
      members.clear();
      assertThat(rig().poller.size()).isZero();
    }
  }

  @Test
  default void aClosedPollerRefusesEverything() throws IOException {
    Member member = rig().member(IN);
    Poller poller = rig().poller;
    poller.close();
    poller.close();
    poller.wakeup();
    PollerEvents events = rig().events;
    assertThatThrownBy(() -> poller.await(events, 1, 0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> poller.await(events, 1, 0)).hasMessageContaining("closed");
    assertThatThrownBy(() -> poller.add(member.fd(), IN)).hasMessageContaining("closed");
    assertThatThrownBy(() -> poller.remove(member.handle())).hasMessageContaining("closed");
    assertThatThrownBy(() -> poller.enable(member.handle())).hasMessageContaining("closed");
  }
}
