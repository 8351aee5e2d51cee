package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testbase.Await;

/// The examples over Virtual Interfaces run as `sluice example` runs them, and find what they
/// compute right.
@Timeout(600)
final class ViExamplesTest {
  private static String run(String source, String... arguments) throws Exception {
    String modules = System.getProperty("jdk.module.path", "");
    assumeTrue(!modules.isEmpty(), "the tests do not run on a module path");
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=sluice.sys"));
    command.addAll(List.of("--module-path", modules, "--add-modules", "ALL-MODULE-PATH"));
    command.add(SourceTree.find().root().resolve(Path.of("examples", source)).toString());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Await.limit(process);
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(Await.end(process)).as(said).isZero();
    return said;
  }

  @ParameterizedTest
  @CsvSource({"1,local", "5,local"})
  void processesPassMessages(String count, String device) throws Exception {
    assertThat(run("messages/Messages.java", count, device))
        .contains(count + " processes: hello to all")
        .contains("all-to-all right");
  }

  @Test
  void callsGoToAnotherProcess() throws Exception {
    assertThat(run("rpc/Rpc.java", "100"))
        .contains("hello, from another process")
        .contains("/ by zero")
        .contains("100 calls");
  }

  @Test
  void aFileIsCopied() throws Exception {
    assertThat(run("file/FileTransfer.java")).contains("the copy is the file");
  }

  @Test
  void aSubscriberAsksForItems() throws Exception {
    assertThat(run("flow/FlowOverVi.java", "500")).contains("500 items");
  }
}
