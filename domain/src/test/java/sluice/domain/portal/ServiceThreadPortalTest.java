package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.domain.portal.copy.CopyQuota;

final class ServiceThreadPortalTest extends PortalContract {
  @Override
  CallPath path() {
    return CallPath.SERVICE;
  }

  @Test
  void oneThreadOfTheServiceRunsItsCalls() {
    portal().add(1, 1, 1, true);
    Thread ran = till.ran;
    portal().add(1, 1, 1, true);
    assertThat(till.ran).isSameAs(ran).isNotSameAs(Thread.currentThread());
  }

  @Test
  void manyCallsOfManyCallersRunOneAfterAnother() throws Exception {
    List<FutureTask<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      FutureTask<Integer> caller =
          new FutureTask<>(() -> {
            for (int call = 0; call < 2_500; call++) {
              portal().add(1, 1, 1, true);
            }
            return 2_500;
          });
      callers.add(caller);
      Thread.ofVirtual().start(caller);
    }
    portal().add(1, 1, 1, true);
    for (FutureTask<Integer> each : callers) {
      assertThat(each.get()).isEqualTo(2_500);
    }
    assertThat(till.added).isEqualTo(10_001);
  }

  @Test
  void revokingAndEndingLetTheCallerGoWhileTheServiceHangs() throws Exception {
    FutureTask<?> call = blocked();
    portals.revoke(server, till);
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(PortalRevoked.class);
  }

  private PlainParty successor() {
    return new PlainParty("successor", PortalContract.class.getClassLoader(), CopyQuota.STANDARD);
  }

  @Test
  void replacingLeadsPortalsAndNamesToTheSuccessor() throws Exception {
    Shop.Till next = new Shop.Till();
    PlainParty successor = successor();
    portals.replace(server, successor, Map.of(till, next)).awaitIdle(0);
    assertThat(portal().party()).isEqualTo("successor");
    assertThat(portals.lookup(client, "till", Shop.Counter.class)).containsSame(portal());
    assertThat(portals.holders(successor, next)).isOne();
    assertThat(portals.holders(server, till)).isZero();
    server.end();
    assertThat(portal().party()).isEqualTo("successor");
    successor.end();
    assertThatThrownBy(() -> portal().party()).isInstanceOf(PartyEnded.class);
  }

  @Test
  void aCallThatIsUnderWayEndsAtTheReplacedService() throws Exception {
    FutureTask<?> call = blocked();
    Portals.Replaced replaced = portals.replace(server, successor(), Map.of(till, new Shop.Till()));
    assertThat(replaced.awaitIdle(0)).isFalse();
    assertThat(portal().party()).isEqualTo("successor");
    Shop.proceed.countDown();
    assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(true);
    assertThat(replaced.awaitIdle(TimeUnit.SECONDS.toNanos(20))).isTrue();
  }

  @Test
  void aPromotedServiceOfTheReplacedPartyStaysItsOwn() {
    Shop.Listener mine = text -> "old " + text;
    till.kept = mine;
    Shop.Listener kept = java.util.Objects.requireNonNull(portal().keep(null));
    portals.replace(server, successor(), Map.of(till, new Shop.Till()));
    assertThat(kept.heard("x")).isEqualTo("old x");
    server.end();
    assertThatThrownBy(() -> kept.heard("x")).isInstanceOf(PartyEnded.class);
  }

  @Test
  void aSuccessorWithAnotherInterfaceIsRefusedAndAllStays() {
    PlainParty without = new PlainParty("without", new ClassLoader(null) {}, CopyQuota.STANDARD);
    assertThatThrownBy(() -> portals.replace(server, without, Map.of(till, new Object())))
        .isInstanceOf(InterfaceMismatch.class);
    assertThat(portal().party()).isEqualTo("server");
  }
}
