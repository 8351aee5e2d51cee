package sluice.cli.compare;

import java.util.stream.Stream;
import sluice.host.machine.MachineFiles;

/// What a process and its descendants have used, from `/proc`. The caller's thread reads files.
///
/// @param files where `/proc` is
/// @param process the root of the tree
record ProcessTree(MachineFiles files, ProcessHandle process) {
  /// Linux tells user space hundredths of a second, whatever the kernel counts in.
  private static final double TICKS_PER_SECOND = 100;

  /// Fields of `/proc/PID/stat` behind the name: utime, stime, cutime, cstime.
  private static final int FIRST_TIME = 11;

  private static final int TIMES = 4;

  private Stream<ProcessHandle> all() {
    return Stream.concat(Stream.of(process), process.descendants());
  }

  /// Processor seconds in user and kernel mode, also of children that have ended.
  double cpuSeconds() {
    return all().mapToLong(this::ticks).sum() / TICKS_PER_SECOND;
  }

  private long ticks(ProcessHandle one) {
    String line = files.text("proc/" + one.pid() + "/stat").orElse("");
    // The name is in parentheses and may hold anything.
    String[] fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ", -1);
    long sum = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + TIMES && i < fields.length; i++) {
      sum += Long.parseLong(fields[i]);
    }
    return sum;
  }

  /// Resident bytes.
  long residentBytes() {
    return all().mapToLong(one -> files.residentBytes(Long.toString(one.pid()))).sum();
  }
}
