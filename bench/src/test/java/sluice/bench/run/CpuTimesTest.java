package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.bench.run.CpuTimes.Snapshot;

final class CpuTimesTest {
  private static final String STAT =
      """
      cpu  2255 34 2290 22625563 6290 127 456 10 5 6
      cpu0 1132 34 1441 11311718 3675 127 438 0 0 0
      intr 114930548 113199788 3 0 5
      """;

  @Test
  void readsEachKindOfFile() {
    assertThat(CpuTimes.nanos("/x/cpuacct.usage", "123456789\n")).hasValue(123_456_789);
    assertThat(CpuTimes.nanos("/x/cpu.stat", "usage_usec 42\nuser_usec 40\nsystem_usec 2\n"))
        .hasValue(42_000);
    assertThat(CpuTimes.nanos("/proc/1/task/1/schedstat", "987 65 4\n")).hasValue(987);
  }

  @Test
  void findsUsageWhereverItStands() {
    assertThat(CpuTimes.nanos("/x/cpu.stat", "nr_periods 1\nusage_usec 7\n")).hasValue(7000);
    assertThat(CpuTimes.nanos("/x/cpu.stat", "user_usec 7\n")).isEmpty();
  }

  @Test
  void saysNothingOfEndedThreads() {
    assertThat(CpuTimes.nanos("/proc/1/task/9/schedstat", "")).isEmpty();
  }

  @Test
  void machineTimeIsUserNiceSystemIrqAndSoftirq() {
    assertThat(CpuTimes.machineBusyNanos(STAT))
        .hasValue((2255 + 34 + 2290 + 127 + 456) * 10_000_000L);
    assertThat(CpuTimes.machineBusyNanos("cpu  1 2 3\n")).isEmpty();
    assertThat(CpuTimes.machineBusyNanos("nothing")).isEmpty();
  }

  @Test
  void sumsThreadsThatLivedThroughTheWindow() {
    List<Snapshot> snapshots =
        List.of(
            new Snapshot("/proc/1/task/1/schedstat", "100 0 0", "150 0 0"),
            new Snapshot("/proc/1/task/2/schedstat", "10 0 0", "30 0 0"),
            new Snapshot("/proc/1/task/3/schedstat", "10 0 0", ""),
            new Snapshot("/proc/stat", STAT, STAT.replace("cpu  2255", "cpu  2355")));
    assertThat(CpuTimes.serverNanos(snapshots)).hasValue(70);
    assertThat(CpuTimes.machineNanos(snapshots)).hasValue(1_000_000_000);
  }

  @Test
  void noFilesAreNoFigure() {
    assertThat(CpuTimes.serverNanos(List.of(new Snapshot("/proc/stat", STAT, STAT)))).isEmpty();
    assertThat(CpuTimes.machineNanos(List.of())).isEmpty();
  }
}
