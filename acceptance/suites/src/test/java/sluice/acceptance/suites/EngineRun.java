package sluice.acceptance.suites;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.testbase.Await;
import sluice.testbase.Child;

/// One Java program in a JVM whose default selector provider is Sluice with a named engine. Any
/// thread may start one; the caller waits for it.
///
/// @param engine what `-Dsluice.nio.engine` calls it; `jdk` is the control
/// @param classPath searched before that of this JVM
/// @param options of the JVM
/// @param directory the program's working directory, where its output goes too
record EngineRun(String engine, List<Path> classPath, List<String> options, Path directory) {
  static final String CONTROL = "jdk";

  /// The engines that are compared with the control.
  static final List<String> ENGINES = List.of("readiness", "completion");

  /// Runs a main class to its end, or kills it when it takes longer.
  ///
  /// @param program the main class, then its arguments
  /// @return its exit code, or -1 when it was killed
  int run(List<String> program, long seconds) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx768m");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED");
    command.add("-Djava.nio.channels.spi.SelectorProvider=sluice.nio.SluiceSelectorProvider");
    command.add("-Dsluice.nio.engine=" + engine);
    command.add("-Dsluice.nio.quiet=true");
    command.addAll(options);
    command.add("-cp");
    List<String> path = new ArrayList<>();
    classPath.forEach(entry -> path.add(entry.toString()));
    path.add(Child.classPath());
    command.add(String.join(":", path));
    command.addAll(program);
    Files.createDirectories(directory);
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(log().toFile())
            .start();
    try {
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      return -1;
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      int _ = Await.end(process.destroyForcibly());
    }
  }

  /// What the program printed.
  Path log() {
    return directory.resolve(engine + ".log");
  }

  /// The last lines of it.
  String tail() throws IOException {
    List<String> lines = Files.readAllLines(log(), StandardCharsets.ISO_8859_1);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
  }
}
