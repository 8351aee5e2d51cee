package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import sluice.memory.View;

/// Everything that reads bytes a client sent, fed with bytes no client would send.
///
/// Each test run tries the inputs in `src/test/resources`. In `./sluice test --acceptance`, as in
/// continuous integration, each method then looks for new ones for three seconds, from where the
/// last run on this machine stopped (`.cifuzz-corpus`); `SLUICE_EXPLORE=10m` is longer. One method
/// alone:
///
/// ```
/// JAZZER_FUZZ=1 mvn -Dfast -pl http -am test-compile surefire:test@fuzz \
///     -Dsurefire.failIfNoSpecifiedTests=false -Dtest='HttpFuzz#heads' -Djazzer.max_duration=5m
/// ```
///
/// An input that fails is printed (in base64) and written beside the others, and fails the ordinary
/// run from then on: that is how it is reproduced.
@Tag("fuzz")
class HttpFuzz {
  private static final long NOW = 1_767_225_600;

  /// The parser agrees with the grammar, and a cut anywhere changes nothing.
  @FuzzTest
  void heads(byte[] data) {
    byte[] ended = Arrays.copyOf(data, data.length + 4);
    System.arraycopy(Bytes.latin1("\r\n\r\n"), 0, ended, data.length, 4);
    String whole = Parsed.of(ended).summary();
    String expected = ReferenceParser.summary(Bytes.text(ended));
    if (expected != null) {
      assertThat(whole).isEqualTo(expected);
    }
    int cut = (Arrays.hashCode(data) & 0x7fffffff) % ended.length;
    assertThat(Parsed.pieces(ended, cut / 2, cut).summary()).isEqualTo(whole);
  }

  /// The decoder ends, stays in bounds, and finds the same data in pieces.
  @FuzzTest
  void chunkedBodies(byte[] data) {
    String body = Bytes.text(data);
    String whole = ChunkedDecoderTest.decode(body, Integer.MAX_VALUE);
    assertThat(ChunkedDecoderTest.decode(body, 1 + data.length % 7)).isEqualTo(whole);
  }

  /// No canonical path leaves the root or has another canonical form.
  @FuzzTest
  void paths(byte[] data) {
    RequestPath path = new RequestPath(data.length + 1);
    View view = Bytes.view(data);
    if (path.parse(view, 0, view.length()) > 0) {
      RequestPathTest.assertCanonical(path.toString());
    }
  }

  /// Everything that reads the value of one field, with the same value for all fields.
  @FuzzTest
  void fields(byte[] data) {
    StringBuilder head = new StringBuilder("GET / HTTP/1.1\r\nHost: h\r\n");
    String value = Bytes.text(data);
    for (Field field :
        new Field[] {
          Field.RANGE,
          Field.IF_RANGE,
          Field.IF_MATCH,
          Field.IF_NONE_MATCH,
          Field.IF_MODIFIED_SINCE,
          Field.IF_UNMODIFIED_SINCE,
          Field.ACCEPT_ENCODING
        }) {
      head.append(field.fieldName()).append(": ").append(value).append("\r\n");
    }
    Parsed parsed = Parsed.of(head.append("\r\n").toString());
    if (parsed.result <= 0) {
      return;
    }
    HttpRequest request = parsed.request;
    assertThat(Preconditions.evaluate(request, Bytes.latin1("\"a\""), NOW - 1, NOW)).isNotNull();
    assertThat(ContentNegotiation.choose(request, 0xf)).isIn(0, 1, 2, 4, 8);
    Ranges ranges = new Ranges();
    if (ranges.parse(request, 1000) == Ranges.Outcome.PARTIAL) {
      for (int i = 0; i < ranges.count(); i++) {
        assertThat(ranges.start(i)).isBetween(0L, ranges.end(i) - 1);
        assertThat(ranges.end(i)).isLessThanOrEqualTo(1000);
      }
    }
    int line = request.firstLine(Field.IF_MODIFIED_SINCE);
    if (line < 0) {
      return; // the value ended the head
    }
    long seconds =
        HttpDate.parse(request.view(), request.valueFrom(line), request.valueTo(line), NOW);
    if (seconds != HttpDate.INVALID) {
      byte[] again = HttpDate.format(seconds);
      assertThat(HttpDate.parse(Bytes.view(again), 0, again.length, NOW)).isEqualTo(seconds);
    }
  }
}
