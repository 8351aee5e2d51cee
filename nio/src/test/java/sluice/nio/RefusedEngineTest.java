package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.sys.Seccomp;
import sluice.testbase.Await;

/// What an application sees of an engine that cannot be used: one message, from the call that
/// wanted a channel or a selector, and nothing of how the JDK finds its provider.
@Timeout(240)
final class RefusedEngineTest {
  /// Run by another JVM: an application that knows nothing of us, and has no io_uring if it says
  /// so.
  static final class Application {
    private Application() {}

    public static void main(String[] arguments) throws IOException {
      if (arguments.length > 0) {
        Seccomp.deny(List.of(arguments));
      }
      try (Selector selector = Selector.open()) {
        System.out.println("selects: " + selector.isOpen());
      }
    }
  }

  @Test
  void completionWithoutIoUringIsOneMessageWithTheReasonAndTheFix() throws Exception {
    assertThat(refusal("completion", "io_uring_setup"))
        .contains("sluice.nio cannot use the completion engine, which needs io_uring\n")
        .containsOnlyOnce("io_uring_setup(")
        .contains("EPERM", "-Dsluice.nio.engine=auto, which does without\n");
  }

  @Test
  void aFixThatIsNamedWorks() throws Exception {
    assertThat(run(0, "auto", "io_uring_setup"))
        .contains("engine completion, chosen because", ", without rings because of io_uring_setup(")
        .contains("selects: true");
  }

  @Test
  void anEngineThatNeedsTheExportIsOneMessageToo() throws Exception {
    assertThat(refusal("readiness")).contains("java.base does not export sun.nio.ch");
  }

  @Test
  void anEngineThatDoesNotExistIsOneMessageToo() throws Exception {
    assertThat(refusal("fast")).contains("-Dsluice.nio.engine=fast: no such engine. Fix: ");
  }

  @Test
  void everyCallThatOpensSomethingIsRefused() {
    SluiceSelectorProvider provider = new SluiceSelectorProvider(new RefusingEngine("why"));
    StandardProtocolFamily family = StandardProtocolFamily.INET;
    assertThatThrownBy(provider::openSelector).isInstanceOf(IOException.class).hasMessage("why");
    assertThatThrownBy(provider::openPipe).hasMessage("why");
    assertThatThrownBy(provider::inheritedChannel).hasMessage("why");
    assertThatThrownBy(provider::openSocketChannel).hasMessage("why");
    assertThatThrownBy(() -> provider.openSocketChannel(family)).hasMessage("why");
    assertThatThrownBy(provider::openServerSocketChannel).hasMessage("why");
    assertThatThrownBy(() -> provider.openServerSocketChannel(family)).hasMessage("why");
    assertThatThrownBy(provider::openDatagramChannel).hasMessage("why");
    assertThatThrownBy(() -> provider.openDatagramChannel(family)).hasMessage("why");
    assertThat(provider.engineName()).isEqualTo("none");
  }

  private static String refusal(String engine, String... denied) throws Exception {
    String output = run(1, engine, denied);
    assertThat(output)
        .containsOnlyOnce("java.io.IOException: ")
        .containsOnlyOnce("Fix: ")
        .doesNotContain("Caused by", "ServiceConfigurationError", "InvocationTargetException");
    assertThat(output.split("Why: ", -1).length).as(output).isLessThanOrEqualTo(2);
    return output;
  }

  private static String run(int exitCode, String engine, String... denied) throws Exception {
    List<String> options = new ArrayList<>();
    options.add("-D" + Agent.PROVIDER + "=" + SluiceSelectorProvider.class.getName());
    options.add("-D" + EngineChoice.ENGINE + "=" + engine);
    Process process =
        ChildJvm.of(options, Application.class, denied)
            .redirectOutput(ProcessBuilder.Redirect.PIPE)
            .start();
    Await.limit(process);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(exitCode);
    return output;
  }
}
