package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import sluice.domain.portal.copy.CopyQuota;

final class CallerThreadPortalTest extends PortalContract {
  @Override
  CallPath path() {
    return CallPath.DIRECT;
  }

  @Test
  void theCallersThreadRunsTheService() {
    portal().add(1, 1, 1, true);
    assertThat(till.ran).isSameAs(Thread.currentThread());
  }

  @Test
  void aServiceInTheCallersThreadIsNotReplaced() {
    PlainParty next =
        new PlainParty("next", PortalContract.class.getClassLoader(), CopyQuota.STANDARD);
    assertThatThrownBy(() -> portals.replace(server, next, Map.of(till, new Shop.Till())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Fix: ");
    assertThat(portal().party()).isEqualTo("server");
  }
}
