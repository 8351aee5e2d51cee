package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.sys.Errno.EEXIST;
import static sluice.sys.Errno.ENOENT;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.MILLIS;
import static sluice.testkit.PollerContractRig.OUT;
import static sluice.testkit.PollerContractRig.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerChanges;
import sluice.testkit.PollerContractRig.Member;

/// Tests of adding, modifying, disabling, enabling and removing, between waits and during a wait.
interface PollerContractChanges {
  PollerContractRig rig();

  /// A change that may throw checked exceptions.
  interface Change {
    void run() throws IOException;
  }

  private void later(Change change) {
    rig()
        .world
        .later(
            10 * MILLIS,
            () -> {
              try {
                change.run();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  @Test
  default void modifyReplacesWhatIsWanted() throws IOException {
    Member member = rig().ready(IN);
    Poller poller = rig().poller;
    poller.modify(member.handle(), OUT);
    assertThat(rig().await()).containsExactly(member.handle());
    assertThat(rig().events.events(0)).isEqualTo(OUT);
    assertThat(poller.wanted(member.handle())).isEqualTo(OUT);
    poller.modify(member.handle(), IN | OUT);
    rig().await();
    assertThat(rig().events.events(0)).isEqualTo(IN | OUT);
    poller.modify(member.handle(), IN);
    member.readable(false);
    rig().assertSilent();
  }

  @Test
  default void modifyTakesEffectDuringAWait() throws IOException {
    Member member = rig().member(IN);
    later(() -> rig().poller.modify(member.handle(), IN | OUT));
    assertThat(rig().await(8, -1)).containsExactly(member.handle());
    assertThat(rig().events.events(0)).isEqualTo(OUT);
  }

  @Test
  default void aDisabledEntryIsSilentAndKeepsItsPlace() throws IOException {
    Member member = rig().ready(IN);
    Member other = rig().member(IN);
    assertThat(rig().await()).containsExactly(member.handle());
    assertThat(rig().poller.disable(member.handle())).isZero();
    rig().assertSilent();
    assertThat(rig().poller.isMember(member.handle())).isTrue();
    assertThat(rig().poller.size()).isEqualTo(2);
    other.readable(true);
    assertThat(rig().await()).containsExactly(other.handle());
    assertThat(rig().poller.enable(member.handle())).isZero();
    assertThat(rig().await()).containsExactlyInAnyOrder(member.handle(), other.handle());
  }

  @Test
  default void modifyOfADisabledEntryLeavesItDisabled() throws IOException {
    Member member = rig().ready(IN);
    rig().poller.disable(member.handle());
    rig().poller.modify(member.handle(), IN | OUT);
    rig().assertSilent();
    rig().poller.enable(member.handle());
    rig().await();
    assertThat(rig().events.events(0)).isEqualTo(IN | OUT);
  }

  @Test
  default void enableAndDisableTakeEffectDuringAWait() throws IOException {
    Member member = rig().ready(IN);
    rig().poller.disable(member.handle());
    later(() -> rig().poller.enable(member.handle()));
    assertThat(rig().await(8, -1)).containsExactly(member.handle());
    member.readable(false);
    later(() -> {
      rig().poller.disable(member.handle());
      member.readable(true);
      rig().poller.wakeup();
    });
    assertThat(rig().await(8, -1)).isEmpty();
  }

  @Test
  default void whatTogglesBackCostsNoCall() throws IOException {
    Member member = rig().member(IN);
    Member ready = rig().ready(IN);
    rig().await();
    rig().await();
    Poller poller = rig().poller;
    long before = poller.systemCalls();
    rig().now();
    long plain = poller.systemCalls() - before;
    for (int i = 0; i < 10; i++) {
      poller.disable(member.handle());
      poller.enable(member.handle());
      poller.disable(ready.handle());
      poller.enable(ready.handle());
      poller.modify(member.handle(), OUT);
      poller.modify(member.handle(), IN);
    }
    assertThat(poller.systemCalls() - before).isEqualTo(plain);
    assertThat(rig().now()).containsExactly(ready.handle());
    assertThat(poller.systemCalls() - before).isEqualTo(2 * plain);
  }

  @Test
  default void anAutoDisabledEntryIsReportedOnceForEachEnable() throws IOException {
    Member member = rig().ready(IN | Poller.AUTO_DISABLE);
    for (int i = 0; i < 3; i++) {
      assertThat(rig().await()).containsExactly(member.handle());
      assertThat(rig().events.events(0)).isEqualTo(IN);
      rig().assertSilent();
      assertThat(rig().poller.enable(member.handle())).isZero();
    }
    member.readable(false);
    rig().assertSilent();
    member.readable(true);
    assertThat(rig().await()).containsExactly(member.handle());
    assertThat(rig().poller.autoDisable(member.handle(), false)).isZero();
    rig().poller.enable(member.handle());
    assertThat(rig().await()).containsExactly(member.handle());
    assertThat(rig().await()).containsExactly(member.handle());
    rig().poller.autoDisable(member.handle(), true);
    assertThat(rig().await()).containsExactly(member.handle());
    rig().assertSilent();
  }

  @Test
  default void anEntryAddedDuringAWaitIsReported() throws IOException {
    rig().member(IN);
    var subject = rig().world.subject();
    subject.readable(true);
    later(() -> rig().poller.add(subject.fd(), IN));
    assertThat(rig().await(8, -1)).containsExactly(rig().poller.handleOf(subject.fd()));
  }

  @Test
  default void anEntryRemovedDuringAWaitIsNotReported() throws IOException {
    Member member = rig().member(IN);
    Member other = rig().member(IN);
    later(() -> {
      rig().poller.remove(member.handle());
      member.readable(true);
      other.readable(true);
    });
    assertThat(rig().await(8, -1)).containsExactly(other.handle());
    assertThat(rig().await(8, 20 * MILLIS)).containsExactly(other.handle());
  }

  @Test
  default void aRemovedEntryIsNotReported() throws IOException {
    Member member = rig().ready(IN);
    assertThat(rig().await()).containsExactly(member.handle());
    rig().poller.remove(member.handle());
    rig().assertSilent();
    long again = rig().poller.add(member.fd(), IN);
    assertThat(again).isNotEqualTo(member.handle());
    assertThat(rig().await()).containsExactly(again);
  }

  @Test
  default void controlAppliesAnArrayInOrder() throws IOException {
    List<PollerContractWorld.Subject> subjects = new ArrayList<>();
    PollerChanges changes = new PollerChanges();
    for (int i = 0; i < 40; i++) {
      subjects.add(rig().world.subject());
      subjects.getLast().readable(true);
      changes.add(subjects.getLast().fd(), IN);
    }
    changes.add(subjects.getFirst().fd(), IN);
    changes.remove(12345678901L);
    assertThat(rig().poller.control(changes)).isEqualTo(2);
    assertThat(changes.result(40)).isEqualTo(-EEXIST);
    assertThat(changes.result(41)).isEqualTo(-ENOENT);
    assertThat(rig().await()).hasSize(40);
    long first = changes.result(0);
    long second = changes.result(1);
    long third = changes.result(2);
    changes.clear().modify(first, OUT).disable(second).remove(third).disable(first).enable(first);
    assertThat(rig().poller.control(changes)).isZero();
    assertThat(changes.result(0)).isZero();
    List<Long> handles = rig().await();
    assertThat(handles).hasSize(38).contains(first).doesNotContain(second, third);
    assertThat(rig().events.events(handles.indexOf(first))).isEqualTo(OUT);
  }

  @Test
  default void manyChangesBetweenTwoWaitsAreOneWait() throws IOException {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      members.add(rig().ready(0));
    }
    rig().now();
    for (Member member : members) {
      rig().poller.modify(member.handle(), OUT);
      rig().poller.modify(member.handle(), IN);
    }
    assertThat(rig().await(64, SECONDS)).hasSize(60);
    for (Member member : members) {
      rig().poller.remove(member.handle());
    }
    rig().assertSilent();
    assertThat(rig().poller.size()).isZero();
  }
}
