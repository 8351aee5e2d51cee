package sluice.nio.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.nio.CompletionProviders;
import sluice.nio.ProviderUnderTest;

/// Opening, using and closing a selector stops no other thread. Flight Recorder tells each
/// operation of the JVM, and a handshake with all threads, as closing a shared arena makes, is one.
@Timeout(300)
final class SelectorHandshakeTest {
  private static final int COUNT = 400;

  /// What the JVM does for reasons of its own meanwhile, such as to throw compiled code away.
  private static final int MOST = COUNT / 8;

  @TempDir private Path directory;

  private interface Work {
    void run() throws Exception;
  }

  @ParameterizedTest
  @EnumSource
  void aSelectorComesAndGoesWithoutOne(ProviderUnderTest under) throws Exception {
    SelectorProvider provider = under.provider();
    Pipe pipe = provider.openPipe();
    try (Pipe.SourceChannel source = pipe.source();
        Pipe.SinkChannel sink = pipe.sink()) {
      source.configureBlocking(false);
      sink.configureBlocking(false);
      List<String> handshakes =
          handshakes(() -> {
            try (Selector selector = provider.openSelector()) {
              SelectionKey _ = sink.register(selector, SelectionKey.OP_WRITE);
              SelectionKey _ = source.register(selector, SelectionKey.OP_READ);
              assertThat(selector.select()).isEqualTo(1);
            }
          });
      assertThat(handshakes.size()).as("%s", handshakes).isLessThan(MOST);
    }
  }

  @Test
  void aRingComesAndGoesWithoutOne() throws Exception {
    String missing = CompletionProviders.unavailable();
    assumeTrue(missing == null, () -> "no io_uring here: " + missing);
    List<String> handshakes =
        handshakes(() -> {
          try (EpollSet others = new EpollSet()) {
            SelectorRing.open(others).close(false);
          }
        });
    assertThat(handshakes.size()).as("%s", handshakes).isLessThan(MOST);
  }

  @Test
  void theRecorderSeesAHandshake() throws Exception {
    List<String> handshakes = handshakes(() -> java.lang.foreign.Arena.ofShared().close());
    assertThat(handshakes).hasSizeGreaterThanOrEqualTo(COUNT);
  }

  /// Runs the work often, and tells which handshakes with all threads the JVM made meanwhile.
  private List<String> handshakes(Work work) throws Exception {
    work.run(); // what classes do once
    Path file = directory.resolve("operations.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("jdk.ExecuteVMOperation").withoutThreshold();
      recording.start();
      for (int i = 0; i < COUNT; i++) {
        work.run();
      }
      recording.stop();
      recording.dump(file);
    }
    List<String> found =
        RecordingFile.readAllEvents(file).stream()
            .map((RecordedEvent event) -> event.getString("operation"))
            .filter(operation -> operation.contains("Handshake"))
            .toList();
    Files.delete(file);
    return found;
  }
}
