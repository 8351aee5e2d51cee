package sluice.http.parse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.http.parse.Preconditions.Outcome;

/// RFC 9110 sections 8.8.3.2, 13.1 and 13.2.2.
class PreconditionsTest {
  private static final byte[] TAG = Bytes.latin1("\"a\"");
  private static final byte[] WEAK = Bytes.latin1("W/\"a\"");
  private static final long MODIFIED = 784_111_777;
  private static final long NOW = 1_767_225_600;

  private static String date(long seconds) {
    return new String(HttpDate.format(seconds), StandardCharsets.US_ASCII);
  }

  private static Outcome evaluate(String method, byte[] tag, String... lines) {
    List<String> all = new ArrayList<>(List.of(method + " / HTTP/1.1", "Host: h"));
    all.addAll(List.of(lines));
    Parsed parsed = Parsed.of(Bytes.head(all.toArray(String[]::new)));
    assertThat(parsed.result).isPositive();
    return Preconditions.evaluate(parsed.request, tag, MODIFIED, NOW);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\u00a7',
      value = {
        "\"a\";true;true",
        "W/\"a\";false;true",
        "\"b\";false;false",
        "*;true;true",
        "\"b\", \"a\";true;true",
        "\"b\",\"a\";true;true",
        "\"b\" , W/\"a\";false;true",
        ",, \"a\" ,;true;true",
        "\"a,b\", \"a\";true;true",
        "\"a,\";false;false",
        "a;false;false",
        "\"a;false;false",
        "a\";false;false",
        "\"\";false;false",
        "\"b\" \"a\";false;false",
        "\"b\"\"a\";false;false",
        "b, \"a\";false;false",
        "w/\"a\";false;false",
        "W\"a\";false;false",
        "*, \"b\";false;false",
        "W/;false;false",
        "\"a b\", \"a\";false;false",
        "\"b\", *;false;false",
        "\"\u00e9\", \"a\";true;true"
      })
  void lists(String list, boolean strong, boolean weak) {
    assertThat(evaluate("GET", TAG, "If-Match: " + list))
        .isEqualTo(strong ? Outcome.PROCEED : Outcome.PRECONDITION_FAILED);
    assertThat(evaluate("GET", TAG, "If-None-Match: " + list))
        .isEqualTo(weak ? Outcome.NOT_MODIFIED : Outcome.PROCEED);
    assertThat(evaluate("HEAD", WEAK, "If-None-Match: " + list))
        .isEqualTo(weak ? Outcome.NOT_MODIFIED : Outcome.PROCEED);
    assertThat(evaluate("POST", TAG, "If-None-Match: " + list))
        .isEqualTo(weak ? Outcome.PRECONDITION_FAILED : Outcome.PROCEED);
  }

  @Test
  void linesOfOneListAddUp() {
    assertThat(evaluate("GET", TAG, "If-None-Match: \"b\"", "If-None-Match: \"a\""))
        .isEqualTo(Outcome.NOT_MODIFIED);
    assertThat(evaluate("GET", TAG, "If-Match: \"b\"", "X: y", "if-match: \"a\""))
        .isEqualTo(Outcome.PROCEED);
    assertThat(evaluate("GET", TAG, "If-Match: \"b\"", "If-Match: *"))
        .isEqualTo(Outcome.PRECONDITION_FAILED);
  }

  @Test
  void weakTagNeverMatchesStrongly() {
    assertThat(evaluate("GET", WEAK, "If-Match: W/\"a\"")).isEqualTo(Outcome.PRECONDITION_FAILED);
    assertThat(evaluate("GET", WEAK, "If-Match: \"a\"")).isEqualTo(Outcome.PRECONDITION_FAILED);
    assertThat(evaluate("GET", WEAK, "If-Match: *")).isEqualTo(Outcome.PROCEED);
  }

  @Test
  void dates() {
    for (String method : List.of("GET", "HEAD", "POST")) {
      boolean reads = !method.equals("POST");
      Outcome unmodified = reads ? Outcome.NOT_MODIFIED : Outcome.PROCEED;
      String since = "If-Modified-Since: ";
      assertThat(evaluate(method, TAG, since + date(MODIFIED))).isEqualTo(unmodified);
      assertThat(evaluate(method, TAG, since + date(MODIFIED + 1))).isEqualTo(unmodified);
      assertThat(evaluate(method, TAG, since + date(MODIFIED - 1))).isEqualTo(Outcome.PROCEED);
      assertThat(evaluate(method, TAG, since + "yesterday")).isEqualTo(Outcome.PROCEED);
      assertThat(evaluate(method, TAG, since + date(MODIFIED), since + date(MODIFIED)))
          .isEqualTo(Outcome.PROCEED);
      String unmodifiedSince = "If-Unmodified-Since: ";
      assertThat(evaluate(method, TAG, unmodifiedSince + date(MODIFIED)))
          .isEqualTo(Outcome.PROCEED);
      assertThat(evaluate(method, TAG, unmodifiedSince + date(MODIFIED - 1)))
          .isEqualTo(Outcome.PRECONDITION_FAILED);
      assertThat(evaluate(method, TAG, unmodifiedSince + "never")).isEqualTo(Outcome.PROCEED);
    }
  }

  /// Every combination of conditions that hold, fail or are absent, against the steps as the RFC
  /// numbers them.
  @Test
  void orderOfEvaluation() {
    String[] matches = {"", "If-Match: \"a\"", "If-Match: \"b\""};
    String[] unmodified = since("If-Unmodified-Since: ", MODIFIED, MODIFIED - 1);
    String[] noneMatches = {"", "If-None-Match: \"b\"", "If-None-Match: \"a\""};
    String[] modified = since("If-Modified-Since: ", MODIFIED - 1, MODIFIED);
    String[] ifRanges = {"", "If-Range: \"a\"", "If-Range: \"b\""};
    for (String method : List.of("GET", "HEAD", "PUT")) {
      for (int i = 0; i < 243; i++) {
        int[] digit = {i % 3, i / 3 % 3, i / 9 % 3, i / 27 % 3, i / 81};
        String[] lines = {
          "Range: bytes=0-1",
          matches[digit[0]],
          unmodified[digit[1]],
          noneMatches[digit[2]],
          modified[digit[3]],
          ifRanges[digit[4]]
        };
        String[] present = List.of(lines).stream().filter(l -> !l.isEmpty()).toArray(String[]::new);
        assertThat(evaluate(method, TAG, present))
            .as("%s %s", method, List.of(present))
            .isEqualTo(steps(method, digit));
      }
    }
  }

  private static String[] since(String name, long holds, long fails) {
    return new String[] {"", name + date(holds), name + date(fails)};
  }

  /// 0 absent, 1 true, 2 false; in the order of the arrays above.
  private static Outcome steps(String method, int[] condition) {
    boolean reads = !method.equals("PUT");
    if (condition[0] == 2 || (condition[0] == 0 && condition[1] == 2)) {
      return Outcome.PRECONDITION_FAILED;
    }
    if (condition[2] == 2) {
      return reads ? Outcome.NOT_MODIFIED : Outcome.PRECONDITION_FAILED;
    }
    if (reads && condition[2] == 0 && condition[3] == 2) {
      return Outcome.NOT_MODIFIED;
    }
    return method.equals("GET") && condition[4] == 2 ? Outcome.IGNORE_RANGE : Outcome.PROCEED;
  }

  @Test
  void ifRange() {
    String range = "Range: bytes=0-1";
    assertThat(evaluate("GET", TAG, range, "If-Range: \"a\"")).isEqualTo(Outcome.PROCEED);
    for (String other :
        List.of("W/\"a\"", "\"b\"", "*", "\"a\", \"b\"", "a", "", date(MODIFIED + 1), "x")) {
      assertThat(evaluate("GET", TAG, range, "If-Range: " + other))
          .as(other)
          .isEqualTo(Outcome.IGNORE_RANGE);
      assertThat(evaluate("GET", TAG, "If-Range: " + other)).isEqualTo(Outcome.PROCEED);
    }
    assertThat(evaluate("GET", WEAK, range, "If-Range: W/\"a\"")).isEqualTo(Outcome.IGNORE_RANGE);
    assertThat(evaluate("GET", TAG, range, "If-Range: " + date(MODIFIED)))
        .isEqualTo(Outcome.PROCEED);
    assertThat(evaluate("GET", TAG, range, "If-Range: \"a\"", "If-Range: \"a\""))
        .isEqualTo(Outcome.IGNORE_RANGE);
  }

  @Test
  void dateOfTheCurrentSecondIsWeak() {
    HttpRequest request = Parsed.ofLines("Range: bytes=0-1", "If-Range: " + date(MODIFIED)).request;
    assertThat(Preconditions.evaluate(request, TAG, MODIFIED, MODIFIED))
        .isEqualTo(Outcome.IGNORE_RANGE);
  }
}
