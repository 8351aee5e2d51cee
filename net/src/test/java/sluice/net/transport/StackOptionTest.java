package sluice.net.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.net.Ipv4Prefix;

/// Tests the values that the option accepts and refuses.
@Timeout(60)
class StackOptionTest {
  @Test
  void isReadAsItIsWritten() {
    StackOption all = StackOption.parse("xdp:eth0,10.1.2.3/24,via=10.1.2.1,queues=4");
    assertThat(all.driver()).isEqualTo("xdp");
    assertThat(all.device()).isEqualTo("eth0");
    assertThat(all.address()).hasToString("10.1.2.3/24");
    assertThat(Ipv4Prefix.text(all.gateway())).isEqualTo("10.1.2.1");
    assertThat(all.queues()).isEqualTo(4);
    StackOption least = StackOption.parse("tap:t0,10.1.2.3/8");
    assertThat(least.gateway()).isZero();
    assertThat(least.queues()).as("all").isZero();
  }

  @Test
  void isWrittenAsItIsRead() {
    for (String words :
        List.of(
            "tap:t0,10.1.2.3/8",
            "xdp:eth0,10.1.2.3/24,queues=4",
            "xdp:eth0.7,10.1.2.3/24,via=10.1.2.1",
            "xdp:eth0,10.1.2.3/24,via=10.1.2.1,queues=4")) {
      assertThat(StackOption.parse(words)).hasToString(words);
    }
  }

  @Test
  void anInterfaceHasANameThatTheKernelTakes() {
    for (String name : List.of("0123456789abcdef", "a b", "a/b", "a:b")) {
      assertThatThrownBy(() -> StackOption.parse("tap:" + name + ",10.0.0.2/24"))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("such as eth0, not '" + name + "'");
    }
    assertThat(StackOption.parse("tap:0123456789abcde,10.0.0.2/24").device()).hasSize(15);
  }

  @Test
  void isRefusedWithItsForm() {
    for (String wrong :
        List.of(
            "",
            "tap",
            "tap:",
            "tap:t0",
            "tap:,10.0.0.2/24",
            "tun:t0,10.0.0.2/24",
            "tap:t0,10.0.0.2/24,x=1",
            "tap:t0,10.0.0.2/24,queues=")) {
      assertThatThrownBy(() -> StackOption.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tap|xdp:INTERFACE,ADDRESS/PREFIX");
    }
    for (String address :
        List.of(
            "10.0.0.2",
            "10.0.0.2/0",
            "10.0.0.2/31",
            "10.0.0.2/x",
            "10.0.0.256/24",
            "10.0.0/24",
            "10.0.0.0/24",
            "10.0.0.255/24",
            "224.0.0.1/24",
            "0.0.0.1/24",
            "1.2.3.4/99999999999")) {
      assertThatThrownBy(() -> StackOption.parse("tap:t0," + address))
          .as(address)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void prefixesKnowTheirNetwork() {
    Ipv4Prefix prefix = Ipv4Prefix.parse("10.1.2.3/20");
    assertThat(prefix.contains(Ipv4Prefix.parseAddress("10.1.15.255"))).isTrue();
    assertThat(prefix.contains(Ipv4Prefix.parseAddress("10.1.16.0"))).isFalse();
    assertThat(Ipv4Prefix.text(prefix.broadcast())).isEqualTo("10.1.15.255");
  }
}
