package sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sluice.loop.engine.Backend;
import sluice.testbase.Await;
import sluice.testbase.Child;

/// The page about events of JFR names all events and fields, and its queries work.
@Timeout(240)
final class EventsPageTest extends HttpContractRig {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PAGE = ROOT.resolve("docs/events.md");
  private static final Pattern NAME = Pattern.compile("@Name\\(\"(sluice\\.\\w+)\"\\)");
  private static final Pattern FIELD =
      Pattern.compile("(?m)^ +(?:long|int|String) (\\w+)(?: = \"\")?;");

  @Override
  Backend backend() {
    return Backend.AUTO;
  }

  @Test
  void namesEachEventAndField() throws IOException {
    String page = Files.readString(PAGE);
    List<String> events = new ArrayList<>();
    for (Path module : List.of(ROOT.resolve("loop"), ROOT.resolve("http"))) {
      try (Stream<Path> files = Files.walk(module.resolve("src/main/java"))) {
        for (Path file : files.filter(each -> each.toString().endsWith("Event.java")).toList()) {
          String source = Files.readString(file);
          Matcher names = NAME.matcher(source);
          while (names.find()) {
            events.add(names.group(1));
          }
          Matcher fields = FIELD.matcher(source);
          while (fields.find()) {
            assertThat(page).contains("`" + fields.group(1) + "`");
          }
        }
      }
    }
    assertThat(events).hasSize(6).allMatch(event -> page.contains("| `" + event + "` |"));
  }

  @Test
  void itsQueriesReadARecording() throws Exception {
    Path file = outside.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      start(config -> config);
      try (HttpPeer peer = connect()) {
        assertThat(peer.get("/a.txt").status()).isEqualTo(200);
      }
      Await await = new Await();
      do {
        await.pause("the event");
        Files.deleteIfExists(file);
        recording.dump(file);
      } while (RecordingFile.readAllEvents(file).stream()
          .map(RecordedEvent::getEventType)
          .noneMatch(type -> type.getName().equals("sluice.Fill")));
    }
    List<String> queries =
        Files.readString(PAGE).lines().filter(line -> line.startsWith("jfr ")).toList();
    assertThat(queries).hasSize(5);
    String bin = Path.of(System.getProperty("java.home"), "bin").toString();
    for (String query : queries) {
      String command = bin + "/" + query.replace("recording.jfr", file.toString());
      Child child = Child.run(new ProcessBuilder("sh", "-c", command));
      assertThat(child.exit()).as(query + child.output()).isZero();
      if (query.contains("Fill") || query.contains("*")) {
        assertThat(child.output()).as(query).contains("/a.txt");
      }
    }
  }
}
