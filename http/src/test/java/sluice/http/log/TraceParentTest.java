package sluice.http.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.memory.View;
import sluice.memory.ViewBinder;

/// Which values of `traceparent` are logged.
@Timeout(240)
final class TraceParentTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String GOOD = "00-" + TRACE + "-00f067aa0ba902b7-01";

  private static View view(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    ViewBinder binder = new ViewBinder(Thread.currentThread());
    return binder.bind(MemorySegment.ofArray(bytes), 0, bytes.length);
  }

  private static String read(String value) {
    byte[] bytes = new byte[TraceParent.BYTES + 2];
    bytes[0] = 7;
    bytes[bytes.length - 1] = 7;
    TraceParent.read(view("x" + value + "y"), 1, 1 + value.length(), bytes, 1);
    assertThat(bytes[0] + bytes[bytes.length - 1]).as("bytes around it").isEqualTo(14);
    return TraceParent.text(bytes, 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        GOOD,
        "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff",
        "00-00000000000000000000000000000001-0000000000000001-00",
        "fe-" + TRACE + "-00f067aa0ba902b7-01"
      })
  void whatIsValidComesBackAsItWas(String value) {
    assertThat(read(value)).isEqualTo(value);
  }

  @Test
  void ofALaterVersionTheKnownPartIsKept() {
    String later = "01" + GOOD.substring(2);
    assertThat(read(later + "-what comes\n\"later\"")).isEqualTo(later);
    assertThat(read(later + "x")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
    "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0é"
  })
  void whatIsNotValidIsNone(String value) {
    assertThat(read(value)).isEmpty();
  }

  /// A place in the ring is used again.
  @Test
  void aRecordHasNoTraceOfTheOneBefore(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("log");
    try (AccessLog log = new AccessLog(file, "{traceparent} {status}", ZoneOffset.UTC, _ -> {})) {
      AccessLogRing ring = log.ring(2);
      for (int status : new int[] {200, 201, 202, 203}) {
        while (!ring.begin(0, 0, 0, status, 0)) {
          Thread.onSpinWait();
        }
        if (status < 202) {
          ring.trace(view(GOOD), 0, GOOD.length());
        }
        ring.commit();
      }
    }
    assertThat(Files.readAllLines(file))
        .isEqualTo(List.of(GOOD + " 200", GOOD + " 201", "- 202", "- 203"));
  }
}
