package sluice.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.memory.Memory;
import sluice.testbase.Await;

/// Tests of the budgets of sockets and native memory: use is counted, refused at the limit and
/// given back.
@Timeout(60)
final class DescriptorBudgetTest {
  private static Domain domain(String budget) throws Exception {
    return Domain.create(Guests.config().withBudget(Budget.parse(budget)));
  }

  private static Object call(Domain domain, String guest) throws Exception {
    return domain.call((Callable<?>) Guests.create(domain, "Opens$" + guest));
  }

  private static List<?> held(Domain domain) throws Exception {
    var field = domain.loader().loadClass("sluice.domain.guest.Opens").getDeclaredField("HELD");
    field.setAccessible(true);
    return (List<?>) field.get(null);
  }

  @Test
  void eachWayToOpenASocketCounts() throws Exception {
    try (Domain domain = domain("sockets=11")) {
      assertThat(call(domain, "OfEachKind")).isEqualTo(9);
      assertThat(domain.stat().sockets()).isEqualTo(11);
      assertThatThrownBy(() -> call(domain, "OfEachKind"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("its budget is 11 sockets and selectors")
          .hasMessageContaining("Fix: ");
      assertThat(held(domain)).as("opened none").hasSize(9);
    }
  }

  @Test
  void aClosedSocketIsGivenBack() throws Exception {
    try (Domain domain = domain("sockets=2")) {
      assertThat(call(domain, "OneAfterTheOther")).isEqualTo(300);
      assertThat(domain.stat().sockets()).isZero();
    }
  }

  @Test
  void threadsTogetherOpenNoMoreThanTheBudget() throws Exception {
    try (Domain domain = domain("sockets=7")) {
      assertThat(call(domain, "Bomb")).isEqualTo(7);
    }
  }

  @Test
  void theEndOfTheDomainClosesThem() throws Exception {
    Domain domain = domain("sockets=100");
    call(domain, "OfEachKind");
    List<Channel> channels =
        held(domain).stream().filter(Channel.class::isInstance).map(Channel.class::cast).toList();
    assertThat(channels).hasSize(3).allMatch(Channel::isOpen);
    domain.kill();
    assertThat(domain.awaitEnd(Duration.ofSeconds(20))).isTrue();
    assertThat(channels).noneMatch(Channel::isOpen);
    assertThat(domain.stat().sockets()).isZero();
  }

  @Test
  void directBuffersAreCharged() throws Exception {
    try (Domain domain = domain("memory=3MB")) {
      for (int i = 0; i < 3; i++) {
        call(domain, "Buffer");
      }
      assertThat(domain.stat().memoryBytes()).isEqualTo(3 << 20);
      assertThatThrownBy(() -> call(domain, "Buffer"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("3145728 of 3145728 bytes are in use")
          .hasMessageContaining("Fix: ");
      call(domain, "Drop");
      Await.until(
          "the buffers to be collected",
          () -> {
            System.gc();
            return domain.stat().memoryBytes() == 0;
          });
      assertThat(call(domain, "Buffer")).isEqualTo(1);
    }
  }

  @Test
  void memoryObjectsAreChargedAndEndWithTheDomain() throws Exception {
    Domain domain = domain("memory=64KB");
    Memory first = domain.allocate(40 << 10);
    assertThat(domain.stat().memoryBytes()).isGreaterThanOrEqualTo(40 << 10);
    assertThatThrownBy(() -> domain.allocate(40 << 10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("memory=N");
    first.close();
    for (int i = 0; i < 200; i++) {
      domain.allocate(32 << 10).close();
    }
    Memory second = domain.allocate(40 << 10);
    second.setLong(8, 42);
    domain.kill();
    assertThat(domain.awaitEnd(Duration.ofSeconds(20))).isTrue();
    assertThatThrownBy(() -> second.getLong(8)).isInstanceOf(IllegalStateException.class);
    assertThat(domain.stat().memoryBytes()).isZero();
    assertThatThrownBy(() -> domain.allocate(1)).isInstanceOf(DomainEnded.class);
  }
}
