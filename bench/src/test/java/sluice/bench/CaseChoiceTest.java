package sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.bench.cases.Bench;
import sluice.bench.cases.BenchCase;
import sluice.bench.cases.CaseBench;
import sluice.bench.cases.CaseChoice;
import sluice.bench.run.Options;

/// What `--cases` means, and what `--help` says there is.
final class CaseChoiceTest {
  static List<String> names(Options options, List<BenchCase> all) {
    return CaseChoice.of(options, all, BenchCase::name, BenchCase::quick).stream()
        .map(BenchCase::name)
        .toList();
  }

  private static List<String> chosen(List<BenchCase> all, String cases) {
    return names(Options.parse(List.of("any", "--quick", "--cases", cases)), all);
  }

  @Test
  void aNameMeansItsCaseAlone() {
    assertThat(chosen(BenchCase.httpCases(), "1KB c64 d1")).containsExactly("1KB c64 d1");
    assertThat(chosen(BenchCase.httpCases(), "1KB c64 d16")).containsExactly("1KB c64 d16");
  }

  @ParameterizedTest
  @ValueSource(strings = {"echo busy c1", "echo busy c1 ", " echo busy c1,"})
  void wordsAreWhole(String cases) {
    assertThat(chosen(SelectorCases.all(), cases))
        .containsExactly("echo busy c1 64B", "echo busy c1 4KB", "echo busy c1 64KB");
  }

  @Test
  void whereNoWordsFitLettersDo() {
    assertThat(chosen(SelectorCases.all(), "echo busy c12"))
        .containsExactly("echo busy c1280 64B", "echo busy c1280 4KB", "echo busy c1280 64KB");
    assertThat(chosen(SelectorCases.all(), "tom"))
        .isNotEmpty()
        .allMatch(name -> name.startsWith("tomcat "));
  }

  @ParameterizedTest
  @CsvSource({"sweep 5, sweep 5% of c8000", "sweep 100% of, sweep 100% of c8000"})
  void wordsEndWhereNoLetterOrDigitFollows(String cases, String name) {
    assertThat(chosen(SelectorCases.all(), cases)).containsExactly(name);
  }

  @Test
  void theOrderIsThatOfTheBench() {
    assertThat(chosen(BenchCase.httpCases(), "doc, 1KB c64 d16,1KB c64 d16"))
        .containsExactly("1KB c64 d16", "doc c64 d1");
  }

  @Test
  void aPatternThatMeansNothingIsRefusedBesideOthers() {
    assertThatThrownBy(() -> chosen(BenchCase.httpCases(), "doc,docs"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no case of any begins with docs; sluice bench any --help lists them");
  }

  @Test
  void helpListsCasesAndSystemsOfABench() {
    for (Bench bench : Benches.ALL) {
      assertThat(BenchMain.help(List.of(bench.name(), "--help")))
          .startsWith(Options.USAGE)
          .endsWith(bench.list());
    }
    assertThat(BenchMain.help(List.of("--help"))).isEqualTo(Options.USAGE);
    assertThat(BenchMain.help(List.of("-h"))).isEqualTo(Options.USAGE);
    assertThatThrownBy(() -> BenchMain.help(List.of("nothing", "--help")))
        .hasMessageContaining("echo");
  }

  @Test
  void listNamesWhatOneBenchHasOrAllHave() {
    assertThat(BenchMain.list("echo")).isEqualTo(Benches.named("echo").list());
    assertThat(BenchMain.list("--list")).contains(BenchMain.list("echo"), BenchMain.list("revoke"));
  }

  @Test
  void aPeerOfNoCaseIsRefusedWithThoseThatThereAre() {
    CaseBench bench = new CaseBench("http", BenchCase::httpCases);
    bench.check(Options.parse(List.of("http", "--peers", "nginx")));
    assertThatThrownBy(() -> bench.check(Options.parse(List.of("http", "--peers", "nginy"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no system of http is called nginy\nhttp: ")
        .hasMessageContaining("netty-epoll");
  }
}
