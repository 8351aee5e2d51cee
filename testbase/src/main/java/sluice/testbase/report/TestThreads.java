package sluice.testbase.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Says in which tests a run hangs: the threads of each test process that are in our code. A
/// command of one thread, started by the launcher when the time of a run is over.
public final class TestThreads {
  private static final int MOST_LINES = 200;
  private static final int MOST_FRAMES = 40;
  private static final int JSTACK_SECONDS = 20;

  private TestThreads() {}

  /// @param arguments directory of the tree whose tests run
  public static void main(String[] arguments) {
    print(Path.of(arguments[0]), System.out);
  }

  static void print(Path root, PrintStream out) {
    List<ProcessHandle> processes = testProcesses(root);
    if (processes.isEmpty()) {
      out.println("sluice: no test process was running when the time was over");
    }
    for (ProcessHandle process : processes) {
      out.println("sluice: process " + process.pid() + " when the time was over:");
      try {
        ours(dump(process.pid())).forEach(line -> out.println("    " + line));
      } catch (IOException e) {
        out.println("    its threads cannot be told: " + e.getMessage());
      }
    }
  }

  /// The JVMs that Maven has started for tests below `root`.
  private static List<ProcessHandle> testProcesses(Path root) {
    return ProcessHandle.allProcesses()
        .filter(process -> {
          String line = process.info().commandLine().orElse("");
          return line.contains(root + "/") && line.contains("surefire");
        })
        .filter(process -> process.pid() != ProcessHandle.current().pid())
        .toList();
  }

  private static String dump(long pid) throws IOException {
    String jstack = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
    Process process =
        new ProcessBuilder(jstack, Long.toString(pid)).redirectErrorStream(true).start();
    CompletableFuture<Process> end = process.onExit().orTimeout(JSTACK_SECONDS, TimeUnit.SECONDS);
    var _ = end.exceptionally(late -> process.destroyForcibly());
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /// The threads of a dump that are in our code, each from its name on.
  static List<String> ours(String dump) {
    List<String> lines = new ArrayList<>();
    for (String thread : dump.split("\n\\s*\n", -1)) {
      if (thread.contains("sluice.")) {
        thread.lines().limit(MOST_FRAMES).forEach(lines::add);
      }
    }
    return lines.size() > MOST_LINES ? lines.subList(0, MOST_LINES) : lines;
  }
}
