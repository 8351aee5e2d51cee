package sluice.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import sluice.testbase.Await;

/// Returns commands that start `sluice` in a separate process. Thread-safe.
final class SluiceProcess {
  private static final List<String> DEFAULT_SIGNALS = List.of("env", "--default-signal=INT,HUP");

  private SluiceProcess() {}

  /// Returns the command that starts `sluice`; the caller may add arguments. If env(1) can reset
  /// signals, the process always receives SIGINT and SIGHUP. Otherwise it would ignore them if a
  /// script started the tests in the background or under nohup(1), because children inherit ignored
  /// signals, JVMs included.
  static List<String> command(String... words) throws Exception {
    List<String> trial = new ArrayList<>(DEFAULT_SIGNALS);
    trial.add("true");
    boolean can = Await.end(new ProcessBuilder(trial).start()) == 0;
    List<String> command = new ArrayList<>(can ? DEFAULT_SIGNALS : List.of());
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=sluice.sys"));
    command.addAll(List.of("--module-path", System.getProperty("jdk.module.path", "")));
    command.addAll(List.of("-m", "sluice.cli/sluice.cli.Main"));
    command.addAll(List.of(words));
    return command;
  }

  /// Returns the command that runs an example as `sluice example` does; the caller may add
  /// arguments.
  ///
  /// @param source the source file, relative to `examples`
  /// @param options options of the JVM
  static List<String> example(String source, String... options) {
    String modules = System.getProperty("jdk.module.path", "");
    assumeTrue(!modules.isEmpty(), "the tests do not run on a module path");
    Path root = SourceTree.find().root();
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=sluice.sys"));
    command.addAll(List.of("--add-opens", "java.base/java.lang=sluice.sys"));
    command.addAll(List.of("--module-path", modules, "--add-modules", "ALL-MODULE-PATH"));
    command.add("-Dsluice.command=" + root.resolve("sluice"));
    command.addAll(List.of(options));
    command.add(root.resolve(Path.of("examples", source)).toString());
    return command;
  }
}
