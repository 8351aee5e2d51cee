package sluice.cli.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import sluice.cli.compare.CompareRounds.Measurement;
import sluice.cli.console.Json;

/// Tests tables and verdicts with invented measurements.
final class ComparisonTest {
  private static List<Measurement> rounds(double cpuMicros, double p99, long failed, double calls) {
    List<Measurement> rounds = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      double noise = 1 + 0.01 * ((i * 7 % 5) - 2);
      rounds.add(
          new Measurement(
              new LoadSource.Outcome(1000, failed, 100, p99 * noise, 900),
              cpuMicros * noise * 1000 / 1e6,
              100 << 20,
              calls,
              Double.isNaN(calls) ? "there is no perf" : ""));
    }
    return rounds;
  }

  /// Returns one round for each of the given CPU times.
  private static List<Measurement> rounds(double[] cpuMicros, double... p99) {
    List<Measurement> rounds = new ArrayList<>();
    for (int i = 0; i < cpuMicros.length; i++) {
      rounds.add(
          new Measurement(
              new LoadSource.Outcome(1000, 0, 100, p99[i % p99.length], 900),
              cpuMicros[i] * 1000 / 1e6,
              100 << 20,
              8,
              ""));
    }
    return rounds;
  }

  /// Tests a machine on which either side is slow at times, which allows no verdict. A single
  /// failed round must not count as a benefit of the other side.
  @Test
  void aNoisyMachineIsAVerdictOfItsOwn() {
    double[] steady = {50, 50, 50, 50, 50, 50};
    double[] wild = {30, 95, 40, 70, 28, 80};
    double[] onceBad = {50, 50, 51, 49, 50, 5000};
    for (double[] noisy : List.of(wild, onceBad)) {
      assertThat(new Comparison("auto", rounds(steady, 500), rounds(noisy, 500)).verdict())
          .startsWith("cannot be told here: CPU per request is anything from 0.")
          .contains("Fix: end what else runs", "--rounds");
    }
    double[] slightly = {50.5, 49.5, 50.2, 49.8, 50, 50.1};
    assertThat(new Comparison("auto", rounds(steady, 500), rounds(slightly, 500)).verdict())
        .isEqualTo("no benefit here: do not use it");
    double[] less = {40, 41, 40, 39, 40, 41};
    assertThat(new Comparison("auto", rounds(steady, 500), rounds(less, 300, 2000, 450)).verdict())
        .startsWith("it helps: 2")
        .endsWith("; whether p99 is longer cannot be told here");
  }

  /// Checks that a ratio matches the columns beside it.
  @Test
  void theRatioIsThatOfTheColumns() {
    double[] jdk = {350, 350, 350, 350, 350, 10};
    double[] ours = {491, 491, 491, 491, 491, 12000};
    Comparison comparison = new Comparison("auto", rounds(jdk, jdk), rounds(ours, ours));
    String row =
        comparison.lines().stream().filter(l -> l.startsWith("p99 (")).findFirst().orElseThrow();
    String[] words = row.replaceAll("^p99 \\(µs\\) +", "").split(" +", -1);
    double ratio = Double.parseDouble(words[1]) / Double.parseDouble(words[0]);
    assertThat(Double.parseDouble(words[2])).isCloseTo(ratio, within(0.01));
    assertThat(comparison.lines().getFirst()).contains("geometric mean", "auto/jdk [95 %]");
  }

  private static String verdict(double cpu, double p99, long failed) {
    return new Comparison("auto", rounds(50, 500, 0, 10), rounds(cpu, p99, failed, 8)).verdict();
  }

  @Test
  void saysWhenItHelpsAndWhenNot() {
    assertThat(verdict(40, 500, 0)).startsWith("it helps: 20 % less CPU per request");
    assertThat(verdict(50, 400, 0)).isEqualTo("no benefit here: do not use it");
    assertThat(verdict(60, 400, 0)).isEqualTo("it costs more CPU here: do not use it");
    assertThat(verdict(40, 700, 0)).contains("longer p99");
    assertThat(verdict(40, 500, 100))
        .startsWith("no verdict: 0.0 % of the requests failed on jdk, 9.1 % on auto.")
        .contains("Fix:");
    assertThat(verdict(0, 500, 0)).startsWith("no verdict").contains("--rate", "--window");
  }

  @Test
  void printsATableWithIntervals() {
    Comparison comparison =
        new Comparison("readiness", rounds(50, 500, 0, 10), rounds(40, 500, 0, Double.NaN));
    assertThat(String.join("\n", comparison.lines()))
        .contains("readiness", "CPU per request (µs)", "0.800 [0.800–0.800]", "p99.9", "RSS (MiB)")
        .contains("system calls per request   not measured: there is no perf")
        .contains("6 rounds of each")
        .contains("Verdict: it helps");
    assertThat(Json.of(comparison.asJson()))
        .contains("\"CPU per request\":{\"unit\":\"µs\",\"jdk\":[")
        .contains("\"notMeasured\":\"there is no perf\"")
        .contains("\"verdict\":\"it helps");
  }

  @Test
  void latenciesOfALoadCommandAreNotInvented() {
    List<Measurement> rounds = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      rounds.add(
          new Measurement(
              new LoadSource.Outcome(1000, 0, Double.NaN, Double.NaN, Double.NaN), 1, 1, 1, ""));
    }
    Comparison comparison = new Comparison("auto", rounds, rounds);
    assertThat(String.join("\n", comparison.lines())).contains("not measured: the load command");
    assertThat(comparison.verdict()).startsWith("no benefit here");
  }

  private static List<Measurement> answering(String... answers) {
    return Stream.of(answers)
        .map(answer -> Map.of("http://a/", answer, "http://b/", ResponseLog.VARYING))
        .map(by -> new LoadSource.Outcome(1000, 0, 100, 500, 900, by))
        .map(outcome -> new Measurement(outcome, 1, 1, 1, ""))
        .toList();
  }

  @Test
  void otherAnswersThanTheJdksAreNoBenefit() {
    Comparison other = new Comparison("auto", answering("200", "200"), answering("200", "500"));
    assertThat(other.differences()).containsExactly("http://a/ is 200 on jdk, varying on auto");
    assertThat(other.verdict()).startsWith("no verdict: not the same").contains("http://a/");
    assertThat(String.join("\n", other.lines())).contains("answered differently: http://a/ is 200");
    assertThat(Json.of(other.asJson())).contains("\"differences\":[\"http://a/ is 200");
    Comparison same = new Comparison("auto", answering("200", "200"), answering("200", "200"));
    assertThat(same.differences()).isEmpty();
    Comparison lively = new Comparison("auto", answering("1", "2"), answering("3", "4"));
    assertThat(lively.differences()).isEmpty();
  }
}
