package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.CounterValue;
import sluice.sys.WindowSize;

/// Tests the layout of counters in a window.
final class StatTableTest {
  private static final WindowSize TALL = new WindowSize(50, 70);

  private static CounterSnapshot snapshot(String description, long factor) {
    List<CounterValue> values = new ArrayList<>();
    for (int loop = 0; loop < 2; loop++) {
      values.add(new CounterValue("http-loop-" + loop + "/requests", false, 1000 * factor + loop));
      values.add(new CounterValue("http-loop-" + loop + "/connections", true, 3 * factor));
      values.add(new CounterValue("http-loop-" + loop + "/cut_replies", false, 0));
    }
    values.add(new CounterValue("server/healthy", true, 1));
    values.add(new CounterValue("tls/handshakes", false, 0));
    return new CounterSnapshot(7, 0, description, values);
  }

  private static StatTable.Look look(String description) {
    return new StatTable.Look(snapshot(description, 3), snapshot(description, 1), 2);
  }

  @Test
  void loopsAreOneAndZerosAreLeftOut() {
    assertThat(StatTable.of(List.of(look("serve /x")), TALL))
        .containsExactly(
            "process 7  serve /x",
            "http-loop-*",
            " requests                                   6,001     2,000/s",
            " connections                                   18",
            "server",
            " healthy                                        1",
            "Ctrl-C ends; all counters: sluice stat --once");
  }

  @Test
  void theFirstLookHasNoRates() {
    StatTable.Look first = new StatTable.Look(snapshot("", 1), null, 0);
    assertThat(StatTable.of(List.of(first), TALL)).noneMatch(line -> line.contains("/s"));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 10", "4, 61", "5, 80", "3, 200", "24, 300", "200, 20"})
  void nothingIsLargerThanTheWindow(int rows, int columns) {
    WindowSize window = new WindowSize(rows, columns);
    List<String> lines = StatTable.of(List.of(look("a"), look("b")), window);
    assertThat(lines).hasSizeLessThanOrEqualTo(Math.max(2, rows));
    assertThat(lines).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(columns));
  }

  @Test
  void aWideWindowHasColumnsAndALowOneSaysWhatIsMissing() {
    List<String> wide =
        StatTable.of(List.of(look("a")), new WindowSize(24, 2 * StatTable.CELL + 3));
    assertThat(wide).hasSize(4);
    assertThat(wide.getFirst()).startsWith("process 7  a ").contains("   connections  ".trim());
    assertThat(StatTable.of(List.of(look("a")), new WindowSize(4, 70)).getLast())
        .startsWith("3 more lines");
  }

  /// Checks that control characters are escaped, because another process writes the counter file.
  @Test
  void noOtherProcessMovesTheCursor() {
    assertThat(StatTable.of(List.of(look("x\u001b[2J\ny")), TALL).getFirst())
        .isEqualTo("process 7  x\\033[2J\\ny");
  }
}
