package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import sluice.loop.counters.CounterSnapshot;
import sluice.loop.counters.CounterValue;
import sluice.loop.counters.Counters;

@Timeout(240)
final class StatCommandTest {
  @TempDir Path temp;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void showsTheCountersOfALiveProcess() {
    try (Counters counters = Counters.open(directory(), 4)) {
      counters.describe("serve here");
      counters.counter("loop0/requests").set(12);
      counters.gauge("loop0/connections").set(3);
      assertThat(run()).isZero();
      assertThat(out.toString())
          .contains("serve here")
          .containsPattern("loop0\\R +requests +12\\R +connections +3\\R");
    }
  }

  @Test
  void writesJson() {
    try (Counters counters = Counters.open(directory(), 4)) {
      counters.counter("loop0/requests").set(12);
      long pid = ProcessHandle.current().pid();
      assertThat(run("--json", String.valueOf(pid))).isZero();
      assertThat(out.toString())
          .startsWith("{\"pid\":" + pid + ",")
          .contains("\"counters\":{\"loop0/requests\":12}}");
    }
  }

  @Test
  void saysWhenThereIsNoServer() {
    assertThat(run()).isEqualTo(1);
    assertThat(err.toString()).contains("no running server").contains("--dir");
    assertThat(run("1")).isEqualTo(1);
    assertThat(err.toString()).contains("process 1 has no counters");
  }

  @Test
  void refusesWrongArgumentsWithExitCode2() {
    assertThat(run("--watch=-1")).isEqualTo(2);
    assertThat(err.toString()).contains("1 to 3600");
    assertThat(run("--watch=0")).isEqualTo(2);
    assertThat(run("--count=2")).isEqualTo(2);
    assertThat(err.toString()).contains("--count is for --watch");
    assertThat(run("abc")).isEqualTo(2);
  }

  @Test
  void showsRatesOfCountsOnly() {
    CounterSnapshot before = snapshot(100, 7);
    CounterSnapshot after = snapshot(300, 9);
    assertThat(StatCommand.asTable(after, before, 2))
        .containsPattern("requests +300 +100/s")
        .containsPattern("connections +9(?!.*/s)");
  }

  /// Checks that a loop has one block, even if the counters of its handlers follow the counters of
  /// the server.
  @Test
  void aSourceHasOneBlockHoweverItsCountersLie() {
    CounterSnapshot before = sources(10);
    assertThat(StatCommand.asTable(sources(30), before, 2))
        .containsOnlyOnce("http-loop-0")
        .containsOnlyOnce("http-loop-1")
        .containsPattern("(?s)http-loop-0.*turns.*handler_runs +30 +10/s.*http-loop-1.*server");
  }

  private static CounterSnapshot sources(long runs) {
    return new CounterSnapshot(
        1,
        0,
        "",
        List.of(
            new CounterValue("http-loop-0/turns", false, 1),
            new CounterValue("http-loop-1/turns", false, 2),
            new CounterValue("server/healthy", true, 3),
            new CounterValue("http-loop-0/handler_runs", false, runs)));
  }

  private static CounterSnapshot snapshot(long requests, long connections) {
    return new CounterSnapshot(
        1,
        0,
        "",
        List.of(
            new CounterValue("loop0/requests", false, requests),
            new CounterValue("loop0/connections", true, connections)));
  }

  private Path directory() {
    return temp.resolve("run");
  }

  private int run(String... args) {
    String[] all = new String[args.length + 3];
    all[0] = "stat";
    all[1] = "--dir";
    all[2] = directory().toString();
    System.arraycopy(args, 0, all, 3, args.length);
    return Commands.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }
}
