package sluice.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Which engine is chosen, and what is said about it.
@Timeout(60)
final class EngineChoiceTest {
  private static EngineChoice choose(Map<String, String> properties) {
    return EngineChoice.make(properties::get, SelectorProvider.provider());
  }

  @Test
  void aVirtualThreadMayBeTheFirstToAsk() throws Exception {
    FutureTask<String> asked = new FutureTask<>(() -> String.valueOf(CompletionEngine.reason()));
    Thread.ofVirtual().start(asked);
    assertThat(asked.get(60, TimeUnit.SECONDS))
        .isEqualTo(String.valueOf(CompletionEngine.unavailable()));
  }

  @Test
  void autoTellsItsReasonAndHowToSilenceIt() {
    EngineChoice choice = choose(Map.of());
    assertThat(choice.engine().name()).isEqualTo("readiness");
    assertThat(choice.line())
        .startsWith("sluice.nio: engine readiness, ")
        .contains("sun.nio.ch", "-Dsluice.nio.quiet=true")
        .doesNotContain("\n");
    assertThat(choose(Map.of("sluice.nio.engine", "auto")).engine().name()).isEqualTo("readiness");
  }

  @Test
  void anUnknownEngineIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> choose(Map.of("sluice.nio.engine", "ready")))
        .hasMessageContaining("-Dsluice.nio.engine=ready")
        .hasMessageContaining("auto, readiness");
  }

  @Test
  void aLogThatCannotBeWrittenIsRefused() {
    Map<String, String> properties =
        Map.of("sluice.nio.static", ".", "sluice.nio.static.log", "target/no/such/log");
    assertThatThrownBy(() -> choose(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-Dsluice.nio.static.log=target/no/such/log cannot be written: ")
        .hasMessageContaining("Fix: name a file");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sluice.nio.cache",
        "sluice.nio.cache.rules",
        "sluice.nio.static.log",
        "sluice.nio.static.log.format"
      })
  void whatNeedsFilesInFrontIsRefusedWithout(String property) {
    assertThatThrownBy(() -> choose(Map.of(property, "16")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Fix: -Dsluice.nio.static=DIR");
  }

  @Test
  void aLogFormatThatIsNoneIsRefused(@TempDir Path directory) {
    String format = "sluice.nio.static.log.format";
    assertThatThrownBy(() -> choose(Map.of("sluice.nio.static", ".", format, "json")))
        .hasMessageContaining("without a log. Fix: -Dsluice.nio.static.log=FILE");
    String log = directory.resolve("log").toString();
    Map<String, String> wrong =
        Map.of("sluice.nio.static", ".", "sluice.nio.static.log", log, format, "{x}");
    assertThatThrownBy(() -> choose(wrong))
        .hasMessageContaining("-Dsluice.nio.static.log.format={x}: a log format has no {x}")
        .hasMessageContaining("Fix: write one of these");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "4097", "-1", "x", "17592186044417", ""})
  void aCacheOfNoSizeIsRefused(String mib) {
    Map<String, String> properties = Map.of("sluice.nio.static", ".", "sluice.nio.cache", mib);
    assertThatThrownBy(() -> choose(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no number of MiB from 1 to 4096");
  }

  @Test
  void completionByNameWithoutRingsIsRefusedWithTheReason() {
    SelectorProvider provider = SelectorProvider.provider();
    assertThatThrownBy(() -> EngineChoice.completion(provider, "io_uring_setup: EPERM"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("io_uring_setup: EPERM")
        .hasMessageContaining("Fix: allow io_uring")
        .hasMessageContaining("-Dsluice.nio.engine=auto");
    assertThatThrownBy(() -> EngineChoice.completion(provider, "too old. Why: 5.4. Fix: 6.1."))
        .hasMessageContaining("  Why: too old: 5.4.\n  Fix: allow")
        .hasMessageNotContaining("6.1");
    assertThat(EngineChoice.completion(provider, null).name()).isEqualTo("completion");
  }

  @Test
  void completionWithoutRingsIsSaidInTheSameLine() {
    String denied = "io_uring_setup(2): EPERM\n  Why: a seccomp filter\n  Fix: allow it";
    assertThat(EngineChoice.withoutRings(32, denied))
        .startsWith(", without rings because of io_uring_setup(2): EPERM (")
        .contains("sluice doctor")
        .doesNotContain("\n");
    assertThat(EngineChoice.withoutRings(0, null)).contains("-Dsluice.nio.memory=0");
    assertThat(EngineChoice.withoutRings(32, null)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "many", "", "99999999", "1048577"})
  void aThresholdThatIsNoneIsRefused(String value) {
    assertThatThrownBy(() -> choose(Map.of("sluice.nio.threshold", value)))
        .hasMessageContaining("-Dsluice.nio.threshold=" + value)
        .hasMessageContaining("1 to 1048576");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yes", "0", "TRUE"})
  void aSwitchIsTrueOrFalseOnEveryEngine(String value) {
    for (String name : List.of("coalescing", "stats", "quiet")) {
      Map<String, String> properties =
          Map.of("sluice.nio." + name, value, "sluice.nio.engine", "jdk");
      assertThatThrownBy(() -> choose(properties))
          .hasMessageContaining("-Dsluice.nio." + name + "=" + value)
          .hasMessageContaining("true or false");
      assertThat(choose(Map.of("sluice.nio." + name, "false")).engine().name())
          .isEqualTo("readiness");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"readiness", "completion", "jdk"})
  void worksWithoutBeingTheDefaultOfTheJvm(String engine) throws IOException {
    SluiceSelectorProvider provider =
        new SluiceSelectorProvider(choose(Map.of("sluice.nio.engine", engine)).engine());
    assertThat(provider.engineName()).isEqualTo(engine);
    try (Selector selector = provider.openSelector()) {
      Pipe pipe = provider.openPipe();
      pipe.source().configureBlocking(false);
      pipe.source().register(selector, SelectionKey.OP_READ);
      pipe.sink().write(ByteBuffer.allocate(1));
      assertThat(selector.select()).isEqualTo(1);
      pipe.sink().close();
      pipe.source().close();
    }
    assertThat(provider.inheritedChannel()).isNull();
  }
}
