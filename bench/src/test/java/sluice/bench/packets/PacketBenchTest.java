package sluice.bench.packets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.bench.run.Options;

/// The cases of `bench xdp`, and the parts that need no root.
@Timeout(60)
final class PacketBenchTest {
  private static Options options(String... arguments) {
    return Options.parse(List.of(arguments));
  }

  @Test
  void systemsAreThoseOfTheSelectedCases() {
    PacketBench bench = new PacketBench();
    bench.check(options("xdp", "--peers", "sluice/xdp,c/xdp-sums,sluice/sum"));
    bench.check(options("xdp", "--cases", "checksum", "--peers", "sluice/sum,jdk/copy"));
    assertThatThrownBy(
            () -> bench.check(options("xdp", "--cases", "checksum", "--peers", "sluice/xdp")))
        .hasMessageContaining("no system of xdp is called sluice/xdp");
  }

  @Test
  void theClientIsAskedByCase() {
    List<String> questions = PacketCase.ALL.stream().map(one -> one.question("a/b", 0.2)).toList();
    assertThat(questions)
        .contains(
            "measure a/b spin 64 1 200",
            "measure a/b spin 64 32 200",
            "measure a/b wait 64 1 200",
            "sum a/b 1400 200");
  }

  @Test
  void percentilesAreOfTheLastWindow() {
    RoundTrips trips = new RoundTrips();
    trips.add(1_000_000);
    trips.clear();
    assertThat(trips.percentile(50)).isNaN();
    for (int i = 100; i > 0; i--) {
      trips.add(i * 1000L);
    }
    assertThat(trips.percentile(50)).isEqualTo(51);
    assertThat(trips.percentile(99)).isEqualTo(100);
  }

  @Test
  void eachWayToReadAPacketTakesTime() {
    for (String system : List.of(ChecksumLoop.SUM, ChecksumLoop.COPY, ChecksumLoop.WORDS)) {
      assertThat(new ChecksumLoop(system, 64).nanosEach(1000)).as(system).isPositive();
    }
  }

  @Test
  void theResultsOfTheStackAreAFileOfTheirOwn() {
    assertThat(options("nfs").resultName()).isEqualTo("nfs");
    assertThat(options("nfs", "--udp-stack").resultName()).isEqualTo("nfs-udp-stack");
  }
}
