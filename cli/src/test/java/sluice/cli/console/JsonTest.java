package sluice.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonTest {
  @Test
  void writesValues() {
    assertThat(Json.of(List.of(1, -2L, true, "a", List.of(), Map.of())))
        .isEqualTo("[1,-2,true,\"a\",[],{}]");
    assertThat(Json.of(Map.of("k", List.of("v")))).isEqualTo("{\"k\":[\"v\"]}");
  }

  @Test
  void escapesText() {
    assertThat(Json.of("\"\\\n\t\u0000é\ud800")).isEqualTo("\"\\\"\\\\\\n\\u0009\\u0000é\\ud800\"");
  }
}
