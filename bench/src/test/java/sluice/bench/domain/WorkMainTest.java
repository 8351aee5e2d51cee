package sluice.bench.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.cases.CaseResult;
import sluice.bench.run.Series;
import sluice.testbase.Await;

/// How a worker measures, and what it answers.
final class WorkMainTest {
  /// Says that each piece takes 100 ns.
  private static final class Told implements Work {
    private long told;

    @Override
    public long run(int times) {
      told += 100L * times;
      return times;
    }

    @Override
    public long measuredNanos() {
      long since = told;
      told = 0;
      return since;
    }

    @Override
    public Map<String, Double> extra() {
      return Map.of("p50_us", 0.5);
    }
  }

  @Test
  void aWorkThatTellsItsTimeIsBelieved() {
    assertThat(WorkMain.answer(new Told(), "2")).isEqualTo("ok ns_per_call=100.0 p50_us=0.5");
  }

  @Test
  void anotherIsMeasuredByTheClock() throws Exception {
    int[] done = {0};
    double nanos =
        WorkMain.measure(
            times -> {
              Thread.sleep(times);
              done[0] += times;
              return times;
            },
            20_000_000);
    assertThat(nanos).isGreaterThanOrEqualTo(1e6);
    assertThat(done[0]).isPositive();
  }

  @Test
  void aFailureIsAnsweredInOneLine() {
    Work failing =
        _ -> {
          throw new IllegalStateException("two\nlines");
        };
    assertThat(WorkMain.answer(failing, "1")).startsWith("error ").doesNotContain("\n");
  }

  /// Each system of the benches of this package does its work once.
  @ParameterizedTest
  @ValueSource(strings = {VerifyBench.VERIFY, VerifyBench.TRANSLATE})
  void jarsAreVerifiedAndTranslated(String bench) throws Exception {
    for (String system : List.of(VerifyBench.OURS, VerifyBench.PARSE)) {
      try (Work work = WorkMain.work(bench, "commons-csv", system)) {
        assertThat(work.run(1)).isPositive();
        assertThat(work.extra()).containsOnlyKeys("us_per_class", "ms_per_kb", "mb_per_s");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {DomainBench.OURS, DomainBench.DEFINE, DomainBench.COLD, DomainBench.LOADER})
  void classesAreLoadedAgainAndAgain(String system) throws Exception {
    try (Work work = WorkMain.work(DomainBench.NAME, DomainBench.LOAD, system)) {
      assertThat(work.run(2)).isEqualTo(2);
      assertThat(work.measuredNanos()).isPositive();
      // In this JVM the libraries are modules, which the platform's loader finds before others do.
      if (system.equals(DomainBench.OURS) || system.equals(DomainBench.COLD)) {
        Await.until( // a load does not count while classes are unloaded
            "a class has metaspace",
            () -> work.run(2) == 2 && work.extra().getOrDefault("metaspace_bytes", 0.0) > 100);
      }
    }
  }

  @Test
  void theShareOfTenLibrariesIsTold() throws Exception {
    String path =
        System.getProperty("java.class.path", "")
            + File.pathSeparator
            + System.getProperty("jdk.module.path", "");
    String table = AdmittedShare.table(path);
    for (String library : AdmittedShare.LIBRARIES) {
      assertThat(table).containsPattern("(?m)^" + library + "-[^ ]+ +[0-9]+ +[0-9]+[.][0-9] ");
    }
  }

  @Test
  void callsAreToldInCyclesBesideThePapers() {
    assertThat(PortalBench.megahertz("processor: 0\ncpu MHz\t\t: 2500.123\n")).isEqualTo(2500.123);
    assertThat(PortalBench.megahertz("no clock")).isZero();
    Series ours = new Series(PortalBench.FAST, false);
    ours.addRound(Map.of(WorkCase.METRIC, 8.0));
    CaseResult result = new CaseResult("portal", PortalBench.CALL, List.of(ours), Map.of());
    assertThat(PortalBench.cycles(result, 2500))
        .containsPattern("sluice/caller-thread +here, 2500 MHz +20\n")
        .containsPattern("JX +PIII, 500 MHz +650\n");
  }

  @Test
  void aWasmFunctionIsCalled() throws Exception {
    try (Work work = WorkMain.work(PortalBench.NAME, PortalBench.CALL, PortalBench.WASM)) {
      assertThat(work.run(3)).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PortalBench.NAME,
        SchedulerBench.NAME,
        DomainBench.NAME,
        VerifyBench.VERIFY,
        VerifyBench.TRANSLATE
      })
  void anUnknownSystemIsRefused(String bench) {
    assertThatThrownBy(() -> WorkMain.work(bench, "nothing", "none"))
        .hasMessageContaining("has no system none");
  }
}
