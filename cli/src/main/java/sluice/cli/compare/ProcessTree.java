package sluice.cli.compare;

import java.util.stream.Stream;
import sluice.host.machine.MachineFiles;

/// The resource usage of a process and its descendants, from `/proc`. Reads files in the calling
/// thread.
///
/// @param files the root of `/proc`
/// @param process the root of the tree
record ProcessTree(MachineFiles files, ProcessHandle process) {
  /// The unit of CPU times in `/proc`: Linux always reports hundredths of a second.
  private static final double TICKS_PER_SECOND = 100;

  /// The fields of `/proc/PID/stat` after the name: utime, stime, cutime, cstime.
  private static final int FIRST_TIME = 11;

  private static final int TIMES = 4;

  private Stream<ProcessHandle> all() {
    return Stream.concat(Stream.of(process), process.descendants());
  }

  /// Returns the CPU time in user and kernel mode in seconds, including children that have ended.
  double cpuSeconds() {
    return all().mapToLong(this::ticks).sum() / TICKS_PER_SECOND;
  }

  private long ticks(ProcessHandle one) {
    String line = files.text("proc/" + one.pid() + "/stat").orElse("");
    // The name is in parentheses and may contain any character.
    String[] fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ", -1);
    long sum = 0;
    for (int i = FIRST_TIME; i < FIRST_TIME + TIMES && i < fields.length; i++) {
      sum += Long.parseLong(fields[i]);
    }
    return sum;
  }

  /// Returns the resident memory in bytes.
  long residentBytes() {
    return all().mapToLong(one -> files.residentBytes(Long.toString(one.pid()))).sum();
  }
}
