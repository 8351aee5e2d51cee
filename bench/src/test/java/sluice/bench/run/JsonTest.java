package sluice.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
  @Test
  void writesInOrderWithSevenDigits() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("bench", "echo");
    map.put("pair", List.of("sluice/io_uring", "netty-epoll"));
    map.put("ratio", 0.123456789);
    map.put("rps", 2_100_000.0);
    map.put("rounds", 6);
    map.put("quick", true);
    assertThat(Json.write(map))
        .isEqualTo(
            "{\"bench\":\"echo\",\"pair\":[\"sluice/io_uring\",\"netty-epoll\"],"
                + "\"ratio\":0.1234568,\"rps\":2100000,\"rounds\":6,\"quick\":true}");
  }

  @Test
  void escapesWhatJsonMustEscape() {
    assertThat(Json.write("a\"b\\c\nd\u0001é")).isEqualTo("\"a\\\"b\\\\c\\u000ad\\u0001é\"");
  }

  @Test
  void writesNoNumberThatJsonLacks() {
    assertThat(Json.write(List.of(Double.NaN, Double.POSITIVE_INFINITY, 0.0)))
        .isEqualTo("[null,null,0]");
  }

  @Test
  void readsBackWhatItWrote() {
    Map<String, Object> map =
        Map.of("list", List.of(1.0, "x\n", true, Map.of()), "empty", List.of(), "n", -2.5e-3);
    assertThat(Json.parse(Json.write(map))).isEqualTo(map);
  }

  @Test
  void readsEscapesAndBlanks() {
    assertThat(String.valueOf(Json.parse(" { \"a\" : [ null , \"\\u0041\\t\\/\" ] } ")))
        .isEqualTo("{a=[null, A\t/]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "{", "[1,]", "{\"a\"}", "\"x", "\"\\q\"", "\"\\u00\"", "tru", "1 2", "{a:1}"})
  void refusesWhatIsNotJson(String text) {
    assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
