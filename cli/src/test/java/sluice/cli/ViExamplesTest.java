package sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testbase.Await;
import sluice.vi.Nic;

/// Runs the examples over virtual interfaces as `sluice example` does, and checks their results.
@Timeout(600)
final class ViExamplesTest {
  @TempDir Path folder = Path.of(".");

  private String run(String source, String... arguments) throws Exception {
    Path files = Files.createDirectories(folder.resolve("tmp"));
    List<String> command = SluiceProcess.example(source, "-Djava.io.tmpdir=" + files);
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Await.limit(process);
    String said =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(Await.end(process)).as(said).isZero();
    assertThat(files).as("what the example leaves behind").isEmptyDirectory();
    return said;
  }

  @ParameterizedTest
  @CsvSource({
    "1,local,hybrid",
    "5,local,hybrid",
    "3,local,spin",
    "3,ring,park",
    "3,ring,spin",
    "3,ofi-tcp,hybrid"
  })
  void processesPassMessages(String count, String device, String wait) throws Exception {
    assumeUsable(device);
    assertThat(run("messages/Messages.java", count, device, wait))
        .contains(count + " processes: hello to all")
        .contains("all-to-all right");
  }

  private static void assumeUsable(String device) {
    String why = Nic.skipped().get(device);
    assumeTrue(why != null && why.isEmpty(), device + ": " + why);
  }

  @ParameterizedTest
  @CsvSource({"local,park", "ring,hybrid", "ring,spin", "ofi-shm,spin"})
  void callsGoToAnotherProcess(String device, String wait) throws Exception {
    assumeUsable(device);
    assertThat(run("rpc/Rpc.java", "100", device, wait))
        .contains("hello, from another process")
        .contains("/ by zero")
        .contains("100 calls");
  }

  @ParameterizedTest
  @CsvSource({"local,hybrid", "ring,park", "ofi-tcp,hybrid"})
  void aFileIsCopied(String device, String wait) throws Exception {
    assumeUsable(device);
    Path file = Files.write(folder.resolve("file"), new byte[3_000_001]);
    assertThat(run("file/FileTransfer.java", file.toString(), device, wait))
        .contains("the copy is the file");
  }

  @ParameterizedTest
  @CsvSource({"local,hybrid", "ring,park"})
  void aSubscriberAsksForItems(String device, String wait) throws Exception {
    assertThat(run("flow/FlowOverVi.java", "500", device, wait)).contains("500 items");
  }
}
