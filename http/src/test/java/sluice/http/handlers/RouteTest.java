package sluice.http.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.http.reply.ReplyFields;
import sluice.http.text.Latin1;

/// What a prefix stands for, and what handlers may put into a head.
class RouteTest {
  @ParameterizedTest
  @CsvSource({
    "/api, /api, true",
    "/api, /api/, true",
    "/api, /api/x, true",
    "/api, /apix, false",
    "/api, /ap, false",
    "/api/, /api, false",
    "/api/, /api/x, true",
    "/, /anything, true",
  })
  void aPrefixStandsForWhatIsBelow(String prefix, String path, boolean matches) {
    Route route = Route.at(prefix);
    BoundRoute bound = new BoundRoute(Routes.Admitted.of(route));
    byte[] bytes = Latin1.bytes(path);
    assertThat(bound.matches(bytes, bytes.length)).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "api", "/a//b", "/a/../b", "/a%41", "/a/.", "/a\n"})
  void aPrefixIsCanonical(String prefix) {
    assertThatThrownBy(() -> Route.at(prefix)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a b", "a:", "Content-Length", "transfer-encoding", "CONNECTION", "Date", "é"})
  void namesThatWouldBreakTheFramingAreRefused(String name) {
    assertThatThrownBy(() -> ReplyFields.check(name, "v"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "a\u007fb", "\u0130"})
  void valuesThatWouldBreakTheFramingAreRefused(String value) {
    assertThatThrownBy(() -> ReplyFields.check("Name", value))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void othersPass() {
    ReplyFields.check("X-Name", "any\tthing é");
    ReplyFields.check("Content-Type", "");
  }
}
