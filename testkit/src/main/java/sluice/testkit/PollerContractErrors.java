package sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static sluice.sys.Errno.EBADF;
import static sluice.sys.Errno.EEXIST;
import static sluice.sys.Errno.EINVAL;
import static sluice.sys.Errno.ENOENT;
import static sluice.sys.Errno.ENOSPC;
import static sluice.testkit.PollerContractRig.IN;
import static sluice.testkit.PollerContractRig.assertRefused;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import sluice.loop.poller.Poller;
import sluice.loop.poller.PollerChanges;
import sluice.testkit.PollerContractRig.Member;

/// Tests of refusals, with the same errors on every backend.
interface PollerContractErrors {
  PollerContractRig rig();

  private void assertUnknown(long handle) {
    Poller poller = rig().poller;
    assertRefused(ENOENT, "Poller.remove", () -> poller.remove(handle));
    assertRefused(ENOENT, "Poller.modify", () -> poller.modify(handle, IN));
    assertThat(poller.enable(handle)).isEqualTo(-ENOENT);
    assertThat(poller.disable(handle)).isEqualTo(-ENOENT);
    assertThat(poller.autoDisable(handle, true)).isEqualTo(-ENOENT);
    assertThat(poller.isMember(handle)).isFalse();
    assertThat(poller.wanted(handle)).isZero();
    PollerChanges changes = new PollerChanges().remove(handle).enable(handle).modify(handle, IN);
    assertThat(poller.control(changes)).isEqualTo(3);
  }

  @Test
  default void whatWasNeverAddedIsRefused() throws IOException {
    assertUnknown(0);
    assertUnknown(-1);
    assertUnknown(1L << 32);
    Member member = rig().member(IN);
    assertUnknown(member.handle() + 1);
    assertUnknown(member.handle() + (1L << 32));
    assertUnknown(Long.MAX_VALUE);
    assertThat(rig().poller.handleOf(member.fd() + 1)).isZero();
    assertThat(rig().poller.handleOf(-1)).isZero();
  }

  @Test
  default void aHandleIsGoodUntilItsRemovalAndNeverAgain() throws IOException {
    Member first = rig().member(IN);
    rig().poller.remove(first.handle());
    assertUnknown(first.handle());
    assertUnknown(0);
    assertThat(rig().poller.size()).isZero();
    Member second = rig().ready(IN);
    assertThat(Poller.index(second.handle())).isEqualTo(Poller.index(first.handle()));
    assertUnknown(first.handle());
    assertThat(rig().await()).containsExactly(second.handle());
  }

  @Test
  default void aMemberIsNotAddedTwice() throws IOException {
    Member member = rig().ready(IN);
    assertRefused(EEXIST, "Poller.add", () -> rig().poller.add(member.fd(), IN));
    assertThat(rig().poller.size()).isEqualTo(1);
    assertThat(rig().await()).containsExactly(member.handle());
    rig().poller.disable(member.handle());
    assertRefused(EEXIST, "Poller.add", () -> rig().poller.add(member.fd(), IN));
  }

  @Test
  default void whatIsNoDescriptorIsRefused() throws IOException {
    assertRefused(EBADF, "Poller.add", () -> rig().poller.add(-1, IN));
    assertRefused(EBADF, "Poller.add", () -> rig().poller.add(-100, IN)); // AT_FDCWD
    assertRefused(EBADF, "Poller.add", () -> rig().poller.add(Integer.MAX_VALUE, IN));
    var subject = rig().world.subject();
    int fd = subject.fd();
    subject.close();
    assertRefused(EBADF, "Poller.add", () -> rig().poller.add(fd, IN));
    assertThat(rig().poller.size()).isZero();
    rig().assertSilent();
  }

  @Test
  default void whatIsNoEventIsRefused() throws IOException {
    Member member = rig().member(IN);
    var other = rig().world.subject();
    for (int events : new int[] {-1, 1 << 31, 1 << 28, 0x1000, 1 << 29}) {
      assertRefused(EINVAL, "Poller.add", () -> rig().poller.add(other.fd(), events));
      assertRefused(EINVAL, "Poller.modify", () -> rig().poller.modify(member.handle(), events));
    }
    rig().poller.add(other.fd(), IN | Poller.NVAL | Poller.ERR | Poller.HUP);
    rig().assertSilent();
  }

  @Test
  default void aFullPollerRefusesOneMore() throws Exception {
    rig().poller.close();
    try (Poller small = rig().world.open(3)) {
      long handle = 0;
      for (int i = 0; i < 3; i++) {
        handle = small.add(rig().world.subject().fd(), IN);
      }
      var more = rig().world.subject();
      assertRefused(ENOSPC, "Poller.add", () -> small.add(more.fd(), IN));
      assertThatThrownBy(() -> small.add(more.fd(), IN)).hasMessageContaining("maxEntries=3");
      assertThat(small.size()).isEqualTo(3);
      small.remove(handle);
      more.readable(true);
      handle = small.add(more.fd(), IN);
      assertThat(small.await(rig().events, 8, 30 * PollerContractRig.SECONDS)).isEqualTo(1);
      assertThat(rig().events.handle(0)).isEqualTo(handle);
    }
  }

  /// Checks that all backends report the same one of several applicable errors.
  @Test
  default void theFirstOfSeveralErrorsCounts() throws Exception {
    rig().poller.close();
    try (Poller small = rig().world.open(2)) {
      var closed = rig().world.subject();
      var other = rig().world.subject();
      small.add(closed.fd(), IN);
      closed.close();
      assertRefused(EINVAL, "Poller.add", () -> small.add(closed.fd(), -1));
      assertRefused(EEXIST, "Poller.add", () -> small.add(closed.fd(), IN));
      assertRefused(EBADF, "Poller.add", () -> small.add(-1, IN));
      assertRefused(EBADF, "Poller.add", () -> small.add(Integer.MAX_VALUE, IN));
      small.add(other.fd(), IN);
      assertRefused(EEXIST, "Poller.add", () -> small.add(closed.fd(), IN));
      assertRefused(ENOSPC, "Poller.add", () -> small.add(-1, IN));
      assertRefused(ENOSPC, "Poller.add", () -> small.add(Integer.MAX_VALUE, IN));
      assertRefused(ENOENT, "Poller.modify", () -> small.modify(0, -1));
    }
  }

  @Test
  default void sizesOutOfRangeAreRefused() {
    for (int size : new int[] {0, -1, Poller.MOST_ENTRIES + 1}) {
      assertThatThrownBy(() -> rig().world.open(size))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("maxEntries");
    }
    assertThatThrownBy(() -> rig().poller.await(rig().events, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
