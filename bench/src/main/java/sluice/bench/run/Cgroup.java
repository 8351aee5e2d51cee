package sluice.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// A control group that counts the processor time of one server. Used by the harness's main thread;
/// closed by it or by the shutdown hook.
public final class Cgroup implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Path folder;
  private final Path cpuFile;

  private Cgroup(Path folder, Path cpuFile) {
    this.folder = folder;
    this.cpuFile = cpuFile;
  }

  /// Creates an empty group: cgroup v1 `cpuacct` if mounted (nanoseconds), else v2 (microseconds).
  ///
  /// @return null if this process may create neither
  public static @Nullable Cgroup create() {
    String mounts;
    try {
      mounts = Files.readString(Path.of("/proc/mounts"));
    } catch (IOException e) {
      return null;
    }
    String name = "sluice-bench-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    for (Path mount : candidates(mounts)) {
      Path folder = mount.resolve(name);
      try {
        Files.createDirectory(folder);
      } catch (IOException e) {
        continue; // read-only or not permitted: try the next one, or the caller falls back
      }
      for (String file : List.of("cpuacct.usage", "cpu.stat")) {
        if (Files.isReadable(folder.resolve(file))
            && Files.isWritable(folder.resolve("cgroup.procs"))) {
          return new Cgroup(folder, folder.resolve(file));
        }
      }
      new Cgroup(folder, folder).close();
    }
    return null;
  }

  /// Returns the mount points that account processor time, v1 first, from the text of
  /// `/proc/mounts`.
  static List<Path> candidates(String mounts) {
    List<Path> v1 = new ArrayList<>();
    List<Path> v2 = new ArrayList<>();
    for (String line : mounts.split("\n", -1)) {
      String[] fields = line.split(" ", -1);
      if (fields.length < 4) {
        continue;
      }
      if (fields[2].equals("cgroup") && List.of(fields[3].split(",", -1)).contains("cpuacct")) {
        v1.add(Path.of(fields[1]));
      } else if (fields[2].equals("cgroup2")) {
        v2.add(Path.of(fields[1]));
      }
    }
    v1.addAll(v2);
    return v1;
  }

  /// Returns the command line that runs a program on one processor and in a group from its first
  /// moment on. A shell enters the group before it becomes the program, so no thread is ever
  /// outside.
  ///
  /// @param group null for none
  static List<String> command(@Nullable Cgroup group, int cpu, List<String> program) {
    return command(group, Integer.toString(cpu), program);
  }

  /// Returns such a command line for several processors.
  ///
  /// @param cpus a list as taskset(1) takes it
  public static List<String> command(@Nullable Cgroup group, String cpus, List<String> program) {
    List<String> command = new ArrayList<>();
    if (group != null) {
      String enter = "echo $$ > \"$0\" && exec \"$@\"";
      command.addAll(List.of("sh", "-c", enter, group.folder.resolve("cgroup.procs").toString()));
    }
    command.addAll(List.of("taskset", "-c", cpus));
    command.addAll(program);
    return command;
  }

  /// Returns the path of `cpuacct.usage` or `cpu.stat`, see [CpuTimes].
  public Path cpuFile() {
    return cpuFile;
  }

  /// Removes the group; its processes must have ended. The kernel may need a moment after that.
  @Override
  public void close() {
    for (int i = 0; i < 50 && Files.exists(folder); i++) {
      try {
        Files.delete(folder);
      } catch (IOException e) {
        try {
          Thread.sleep(10);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }
}
