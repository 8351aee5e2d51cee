package sluice.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import sluice.http.front.FrontTimes;
import sluice.nio.readiness.ReadinessChannels;
import sluice.nio.readiness.ReadinessSettings;
import sun.nio.ch.DefaultSelectorProvider;

/// The providers that every scenario runs on: the JDK's own as the control, then our engines. Read
/// by JUnit's thread.
///
/// `-Dsluice.scenarios=JDK,READINESS` limits a run to some of them.
public enum ProviderUnderTest {
  JDK,
  READINESS,
  /// Our own channels with rings.
  COMPLETION,
  /// Our own channels without rings, as selectors have them that threads share.
  NEUTRAL,
  /// Our own channels behind a directory without files.
  FRONTED;

  /// What says nothing, or nothing that is HTTP, is soon the application's.
  private static final FrontTimes AT_ONCE =
      new FrontTimes(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofSeconds(60));

  private static final Map<ProviderUnderTest, SelectorProvider> OPENED = new ConcurrentHashMap<>();

  /// One per process, as in an application.
  public SelectorProvider provider() {
    return OPENED.computeIfAbsent(this, ProviderUnderTest::open);
  }

  private SelectorProvider open() {
    return switch (this) {
      case JDK -> DefaultSelectorProvider.get();
      case READINESS ->
          new SluiceSelectorProvider(
              new DelegatingEngine(
                  ReadinessChannels.NAME, ReadinessChannels.open(ReadinessSettings.DEFAULT)));
      case COMPLETION ->
          new SluiceSelectorProvider(self -> new CompletionEngine(self, CompletionEngine.AT_ONCE));
      case NEUTRAL ->
          new SluiceSelectorProvider(self -> new CompletionEngine(self, CompletionEngine.NEVER));
      case FRONTED -> CompletionProviders.behind(emptyDirectory(), AT_ONCE);
    };
  }

  private static Path emptyDirectory() {
    try {
      Path directory = Files.createTempDirectory("front");
      directory.toFile().deleteOnExit();
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<ProviderUnderTest> selected() {
    String names = System.getProperty("sluice.scenarios", "");
    return names.isEmpty()
        ? List.of(values())
        : Arrays.stream(names.split(",")).map(ProviderUnderTest::valueOf).toList();
  }
}
