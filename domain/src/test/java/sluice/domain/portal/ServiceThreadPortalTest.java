package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ServiceThreadPortalTest extends PortalContract {
  @Override
  CallPath path() {
    return CallPath.SERVICE_THREAD;
  }

  @Test
  void oneThreadOfTheServiceRunsItsCalls() {
    portal().add(1, 1, 1, true);
    Thread ran = till.ran;
    portal().add(1, 1, 1, true);
    assertThat(till.ran).isSameAs(ran).isNotSameAs(Thread.currentThread());
  }

  @Test
  void revokingAndEndingLetTheCallerGoWhileTheServiceHangs() throws Exception {
    FutureTask<?> call = blocked();
    portals.revoke(server, till);
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .hasCauseInstanceOf(PortalRevoked.class);
  }
}
