package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads processor times from the kernel's files. Stateless.
public final class CpuTimes {
  /// The unit of `/proc/stat`: 10 ms on every supported Linux architecture.
  private static final long TICK_NANOS = 10_000_000L;

  private static final Pattern USAGE_USEC = Pattern.compile("(?m)^usage_usec (\\d+)$");
  private static final Pattern FIRST_NUMBER = Pattern.compile("^\\s*(\\d+)");
  private static final Pattern MACHINE = Pattern.compile("(?m)^cpu +(\\d+(?: \\d+)*)");

  private CpuTimes() {}

  /// The contents of one kernel file at both ends of a measured window.
  record Snapshot(String file, String before, String after) {}

  /// Returns the processor nanoseconds in the text of `cpuacct.usage` (cgroup v1), `cpu.stat` (v2)
  /// or `schedstat` (one thread). Empty for other files, and if the text has another form, as for a
  /// thread that ended.
  public static OptionalLong nanos(String file, String text) {
    boolean v2 = file.endsWith("/cpu.stat");
    if (!v2 && !file.endsWith("/cpuacct.usage") && !file.endsWith("/schedstat")) {
      return OptionalLong.empty();
    }
    Matcher matcher = (v2 ? USAGE_USEC : FIRST_NUMBER).matcher(text);
    if (!matcher.find()) {
      return OptionalLong.empty();
    }
    long value = Long.parseLong(matcher.group(1));
    return OptionalLong.of(v2 ? value * 1000 : value);
  }

  /// Returns the nanoseconds for which all processors were busy since boot: user, nice, system, irq
  /// and softirq of `/proc/stat`. Neither iowait nor stolen time counts, and guest time only once.
  static OptionalLong machineBusyNanos(String text) {
    Matcher matcher = MACHINE.matcher(text);
    if (!matcher.find()) {
      return OptionalLong.empty();
    }
    String[] fields = matcher.group(1).split(" ", -1);
    if (fields.length < 7) {
      return OptionalLong.empty();
    }
    long ticks = 0;
    for (int i : new int[] {0, 1, 2, 5, 6}) {
      ticks += Long.parseLong(fields[i]);
    }
    return OptionalLong.of(ticks * TICK_NANOS);
  }

  /// Returns the busy nanoseconds up to now.
  ///
  /// @throws IOException if the kernel's file cannot be parsed
  public static long machineBusyNanos() throws IOException {
    String text = Files.readString(Path.of("/proc/stat"));
    return machineBusyNanos(text).orElseThrow(() -> new IOException("/proc/stat: " + text));
  }

  /// Returns the processor time of a server within the window: the sum over its files, without
  /// threads that began or ended meanwhile. Empty if no file has a value.
  static OptionalLong serverNanos(List<Snapshot> snapshots) {
    long sum = 0;
    boolean any = false;
    for (Snapshot s : snapshots) {
      OptionalLong before = nanos(s.file(), s.before());
      OptionalLong after = nanos(s.file(), s.after());
      if (before.isPresent() && after.isPresent()) {
        sum += after.getAsLong() - before.getAsLong();
        any = true;
      }
    }
    return any ? OptionalLong.of(sum) : OptionalLong.empty();
  }

  /// Returns the busy time of the whole machine within the window.
  static OptionalLong machineNanos(List<Snapshot> snapshots) {
    for (Snapshot s : snapshots) {
      if (s.file().equals("/proc/stat")) {
        OptionalLong before = machineBusyNanos(s.before());
        OptionalLong after = machineBusyNanos(s.after());
        if (before.isPresent() && after.isPresent()) {
          return OptionalLong.of(after.getAsLong() - before.getAsLong());
        }
      }
    }
    return OptionalLong.empty();
  }
}
