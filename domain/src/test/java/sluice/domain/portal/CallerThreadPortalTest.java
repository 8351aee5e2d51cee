package sluice.domain.portal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CallerThreadPortalTest extends PortalContract {
  @Override
  CallPath path() {
    return CallPath.CALLER_THREAD;
  }

  @Test
  void theCallersThreadRunsTheService() {
    portal().add(1, 1, 1, true);
    assertThat(till.ran).isSameAs(Thread.currentThread());
  }
}
