package sluice.cli.compare;

import java.util.stream.Stream;
import sluice.host.machine.MachineFiles;

/// The resource usage of a process and its descendants, which is read from `/proc` in the calling
/// thread.
///
/// @param files the files of the machine
/// @param process the root of the tree
record ProcessTree(MachineFiles files, ProcessHandle process) {
  /// The unit of CPU times in `/proc`. Linux always reports hundredths of a second.
  private static final double TICKS_PER_SECOND = 100;

  /// The index of the first of the fields utime, stime, cutime and cstime in `/proc/PID/stat`,
  /// counted after the name.
  private static final int FIRST_TIME = 11;

  private static final int TIMES = 4;

  private Stream<ProcessHandle> all() {
    return Stream.concat(Stream.of(process), process.descendants());
  }

  /// Returns the CPU time in user and kernel mode in seconds, including children that have
  /// terminated.
  double cpuSeconds() {
    return all().mapToLong(this::ticks).sum() / TICKS_PER_SECOND;
  }

  private long ticks(ProcessHandle one) {
    String line = files.text("proc/" + one.pid() + "/stat").orElse("");
    // The name is enclosed in parentheses and may contain any character.
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
