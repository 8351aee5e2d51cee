package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.CaseChoice;
import sluice.bench.run.NfsLoad;
import sluice.bench.run.NfsPeers;
import sluice.bench.run.Options;

/// The rows of `bench nfs`, and what is said of each.
final class NfsCasesTest {
  @Test
  void everyOperationHasItsRows() {
    Set<String> names = new HashSet<>();
    for (BenchCase one : NfsCases.all()) {
      assertThat(names.add(one.name())).as(one.name()).isTrue();
      assertThat(one.peers().names()).startsWith("sluice/io_uring").contains("c-null", "ganesha");
    }
    for (String operation :
        List.of("getattr c1", "getattr udp c1", "read 64KB c1", "write 64KB c1", "metadata c1")) {
      for (int depth : new int[] {1, 4, 16, 64}) {
        assertThat(names).contains(operation + " d" + depth);
      }
    }
    assertThat(names)
        .contains("getattr c4 d16", "metadata c4 d16", "write 64KB sync c1 d16")
        .contains("read 32KB udp c1 d4", "write 32KB udp c1 d4", "metadata udp c1 d4")
        .contains("timeline getattr c1 d16", "timeline metadata c4 d16");
  }

  @Test
  void aChangeIsNamedWithWhatKeepsIt() {
    NfsLoad write = NfsLoad.of("write", 4096);
    for (String system : new NfsPeers(write).names()) {
      assertThat(new NfsPeers(NfsLoad.of("getattr", 0)).durability(system)).isEmpty();
      assertThat(new NfsPeers(NfsLoad.of("read", 4096)).durability(system)).isEmpty();
      assertThat(new NfsPeers(write).durability(system)).isNotEmpty();
      assertThat(new NfsPeers(NfsLoad.of("metadata", 0)).durability(system)).isNotEmpty();
    }
    assertThat(new NfsPeers(write).durability("sluice/epoll")).isEqualTo("in memory");
    assertThat(new NfsPeers(write.stably()).durability("sluice/epoll")).isEqualTo("on the image");
    assertThat(new NfsPeers(write.stably()).durability("ganesha")).isEqualTo("on the image");
    assertThat(new NfsPeers(write.stably()).durability("nfs3_server")).isEqualTo("in memory");
  }

  @Test
  void theStackIsAnOptionOfThisBenchAlone() {
    assertThat(Options.parse(List.of("nfs", "--udp-stack", "--quick")).udpStack()).isTrue();
    assertThat(Options.parse(List.of("nfs")).udpStack()).isFalse();
    assertThatThrownBy(() -> Options.parse(List.of("vi", "--udp-stack")))
        .isInstanceOf(IllegalArgumentException.class);
    Options both = Options.parse(List.of("nfs", "--udp-stack", "--peers", "c-null"));
    assertThatThrownBy(() -> new NfsBench().check(both))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the same two systems");
  }

  @Test
  void overTimeIsAnOption() {
    assertThat(Options.parse(List.of("nfs")).overTimeSeconds()).isEqualTo(60);
    assertThat(Options.parse(List.of("nfs", "--quick")).overTimeSeconds()).isEqualTo(10);
    Options options = Options.parse(List.of("nfs", "--over-time", "20", "--cases", "timeline"));
    assertThat(options.overTimeSeconds()).isEqualTo(20);
    assertThat(CaseChoice.of(options, NfsCases.all(), BenchCase::name, BenchCase::quick))
        .isNotEmpty()
        .allMatch(NfsCases::isOverTime);
  }
}
