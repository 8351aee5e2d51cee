package sluice.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/// Tests the clients that a rule allows, and the texts that are no rule.
final class ClientRuleTest {
  @Test
  void addressesAndNetworks() throws IOException {
    assertThat(ClientRule.of("192.0.2.1").matches(InetAddress.getByName("192.0.2.1"))).isTrue();
    assertThat(ClientRule.of("192.0.2.1").matches(InetAddress.getByName("192.0.2.2"))).isFalse();
    assertThat(ClientRule.of("0.0.0.0/0").matches(InetAddress.getByName("8.8.8.8"))).isTrue();
    assertThat(ClientRule.of("0.0.0.0/0").matches(InetAddress.getByName("2001:db8::1"))).isFalse();
    assertThat(ClientRule.of("10.0.0.0/7").matches(InetAddress.getByName("11.1.1.1"))).isTrue();
    assertThat(ClientRule.of("10.0.0.0/7").matches(InetAddress.getByName("12.1.1.1"))).isFalse();
    assertThat(ClientRule.of("2001:db8::/33").matches(InetAddress.getByName("2001:db8:7f::")))
        .isTrue();
    assertThat(ClientRule.of("2001:db8::/33").matches(InetAddress.getByName("2001:db8:8000::")))
        .isFalse();
    for (String none :
        new String[] {"", "localhost", "10.0.0.0/33", "10.0.0.0/x", "1.2.3.4/", "::/129", "a:b"}) {
      assertThatThrownBy(() -> ClientRule.of(none)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
