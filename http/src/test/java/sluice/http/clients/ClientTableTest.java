package sluice.http.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.http.clients.ClientTable.Admission;

final class ClientTableTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MAPPED = 0xffff_0000_0000L;

  private static ClientAllowance open(ClientTable table, long address, long now) {
    return Objects.requireNonNull(table.open(0, MAPPED | address, now));
  }

  @Test
  void aBurstThenTheRate() {
    long now = Long.MAX_VALUE - SECOND; // the clock of a machine may pass its end
    ClientTable table = new ClientTable(new ClientLimits(0, 10, 5));
    ClientAllowance client = open(table, 1, now);
    for (int i = 0; i < 5; i++) {
      assertThat(client.request(now)).isZero();
    }
    assertThat(client.request(now)).isEqualTo(SECOND / 10);
    assertThat(client.request(now + SECOND / 10 - 1)).isEqualTo(1);
    assertThat(client.request(now + SECOND / 10)).isZero();
    assertThat(client.request(now + SECOND / 10)).isPositive();
    int admitted = 0;
    for (int i = 1; i <= 1000; i++) { // ten times too often: the rate is what it gets
      admitted += client.request(now + SECOND / 10 + i * SECOND / 100) == 0 ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(100);
    for (int i = 0; i < 5; i++) {
      assertThat(client.request(now + 100 * SECOND)).isZero();
    }
    assertThat(client.request(now + 100 * SECOND)).isPositive();
  }

  /// Requests of one turn of a loop come at the same instant: the clock stands still meanwhile.
  @Test
  void aTurnsRequestsComeAtOneInstant() {
    int turn = 2_000;
    ClientTable table = new ClientTable(new ClientLimits(0, 2_000_000, turn));
    ClientAllowance client = open(table, 1, 0);
    for (long now = 0; now < SECOND; now += SECOND / 1000) {
      for (int i = 0; i < turn; i++) {
        assertThat(client.request(now) == 0).isTrue();
      }
      assertThat(client.request(now) == 0).isFalse();
    }
  }

  @Test
  void addressesAreApartAndNetworksOfSixAreOne() {
    ClientTable table = new ClientTable(new ClientLimits(1, 0, 0));
    ClientAllowance one = open(table, 1, 0);
    assertThat(table.admission(one)).isEqualTo(Admission.ADMITTED);
    assertThat(table.admission(open(table, 2, 0))).isEqualTo(Admission.ADMITTED);
    assertThat(open(table, 1, 0)).isSameAs(one);
    assertThat(table.admission(one)).isEqualTo(Admission.REFUSED);
    table.close(one, 0);
    assertThat(table.admission(one)).isEqualTo(Admission.ADMITTED);
    long network = 0x2001_0db8_0000_0001L;
    ClientAllowance six = Objects.requireNonNull(table.open(network, 1, 0));
    assertThat(table.open(network, -1, 0)).isSameAs(six);
    assertThat(table.open(network + 1, 1, 0)).isNotSameAs(six);
    assertThat(table.open(0, 0, 0)).as("no address").isNull();
    assertThat(new ClientTable(ClientLimits.NONE).open(0, MAPPED | 1, 0)).isNull();
  }

  @Test
  void farAboveTheLimitConnectionsAreDropped() {
    ClientTable table = new ClientTable(new ClientLimits(2, 0, 0));
    List<Admission> seen = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      seen.add(table.admission(open(table, 1, 0)));
    }
    assertThat(seen.subList(0, 2)).containsOnly(Admission.ADMITTED);
    assertThat(seen.subList(2, 10)).containsOnly(Admission.REFUSED);
    assertThat(seen.subList(10, 12)).containsOnly(Admission.DROPPED);
  }

  /// A client that comes again does not get its burst again; a client that waits is not remembered.
  @Test
  void aDebtOutlivesConnectionsAndNoLonger() {
    ClientTable table = new ClientTable(new ClientLimits(0, 1, 2));
    ClientAllowance first = open(table, 1, 0);
    assertThat(first.request(0)).isZero();
    assertThat(first.request(0)).isZero();
    table.close(first, 0);
    assertThat(table.size()).isEqualTo(1);
    ClientAllowance again = open(table, 1, 1);
    assertThat(again.request(1)).isPositive();
    table.close(again, 1);
    ClientAllowance other = open(table, 2, 3 * SECOND);
    table.close(other, 3 * SECOND);
    assertThat(table.size()).isZero();
  }

  @Test
  void moreAddressesThanItKnowsForgetTheOldest() {
    ClientTable table = new ClientTable(new ClientLimits(0, 1, 100));
    int extra = 1000;
    for (int i = 0; i < ClientTable.MOST_LEFT + extra; i++) {
      ClientAllowance each = open(table, i, 0);
      assertThat(each.request(0)).isZero();
      table.close(each, 0);
    }
    assertThat(table.size()).isEqualTo(ClientTable.MOST_LEFT);
    assertThat(table.forgotten()).isEqualTo(extra);
  }

  @Test
  void limitsAreChecked() {
    assertThatThrownBy(() -> new ClientLimits(-1, 0, 0)).hasMessageContaining("connections");
    assertThatThrownBy(() -> new ClientLimits(0, 1, 0)).hasMessageContaining("burst");
    assertThatThrownBy(() -> new ClientLimits(0, 0, 1)).hasMessageContaining("burst");
    assertThatThrownBy(() -> new ClientLimits(0, ClientLimits.MOST + 1, 1))
        .hasMessageContaining("10000000");
  }
}
