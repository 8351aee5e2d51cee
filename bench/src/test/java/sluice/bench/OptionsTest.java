package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.cases.Bench;
import sluice.bench.cases.BenchCase;
import sluice.bench.run.Options;
import sluice.bench.run.PairedRatio;
import sluice.bench.run.Role;
import sluice.bench.run.Systems;

final class OptionsTest {
  @Test
  void fullRunsHaveSixRounds() {
    Options options = Options.parse(List.of("echo"));
    assertThat(options.rounds()).isGreaterThanOrEqualTo(6);
    assertThat(options.quick()).isFalse();
    assertThat(CaseChoiceTest.names(options, BenchCase.echoCases())).hasSize(4);
  }

  @Test
  void quickRunsFewerCases() {
    Options options = Options.parse(List.of("echo", "--quick"));
    assertThat(CaseChoiceTest.names(options, BenchCase.echoCases())).hasSize(1);
  }

  @Test
  void quickIsNoLessWarm() {
    for (Bench bench : Benches.ALL) {
      Options quick = Options.parse(List.of(bench.name(), "--quick"));
      assertThat(quick.warmSeconds()).isEqualTo(Options.parse(List.of(bench.name())).warmSeconds());
      assertThat(quick.rounds()).isGreaterThanOrEqualTo(PairedRatio.FEWEST);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--quick",
        "echo --rounds",
        "echo --rounds 0",
        "echo --seconds x",
        "echo --cpus 1",
        "echo --what 3"
      })
  void refusesAndExplains(String line) {
    List<String> words = line.isEmpty() ? List.of() : List.of(line.split(" ", -1));
    assertThatThrownBy(() -> Options.parse(words)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void everyBenchHasAQuickCaseAndKnownSystems() {
    for (Bench bench : Benches.ALL) {
      assertThat(bench.list()).startsWith(bench.name() + ": ").contains(" (quick)");
      bench.check(Options.parse(List.of(bench.name(), "--quick")));
    }
    for (Role role : Role.values()) {
      assertThat(Systems.names(role)).allMatch(system -> Systems.knows(role, system));
    }
    assertThatThrownBy(() -> Benches.named("nothing")).hasMessageContaining("echo");
  }
}
