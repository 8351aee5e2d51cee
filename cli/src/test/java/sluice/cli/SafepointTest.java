package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.testbase.Await;

/// Tests that, with the launcher's options, a counted loop in a handler does not delay a safepoint,
/// at which all other threads would have to wait.
@Timeout(240)
final class SafepointTest {
  @Test
  void aCountedLoopInAHandlerDelaysNoOtherLoop() throws Exception {
    assertThat(roundsMeanwhile(launcherFlags())).isGreaterThan(2);
  }

  @Test
  void withoutThemItDoes() throws Exception {
    assertThat(roundsMeanwhile(List.of("-XX:+UseSerialGC"))).isLessThan(2);
  }

  private static List<String> launcherFlags() throws Exception {
    String script = Files.readString(SourceTree.find().root().resolve("sluice"));
    String safepoints = value(script, "SAFEPOINT_FLAGS");
    return List.of(value(script, "FLAGS").replace("$SAFEPOINT_FLAGS", safepoints).split(" ", -1));
  }

  private static String value(String script, String variable) {
    int start = script.indexOf("\n" + variable + "=\"") + variable.length() + 3;
    return script.substring(start, script.indexOf('"', start));
  }

  /// Returns how often all threads reached a safepoint and another loop answered while a handler
  /// ran its counted loop.
  private static int roundsMeanwhile(List<String> flags) throws Exception {
    List<String> paths = new ArrayList<>();
    for (String name : List.of("java.class.path", "jdk.module.path", "surefire.test.class.path")) {
      paths.add(System.getProperty(name, ""));
    }
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(flags);
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(String.join(File.pathSeparator, paths));
    command.add(CountedLoopMain.class.getName());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    byte[] said = process.getInputStream().readAllBytes();
    String text = new String(said, StandardCharsets.UTF_8);
    assertThat(Await.end(process)).as(text).isZero();
    System.out.println("rounds, longest in us: " + text);
    return Integer.parseInt(text.strip().split(" ", 2)[0]);
  }
}
